package multiclient

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A pool is the identities that use one server.
type pool struct {
	client *MultiServerClient
	server *server             // that they use
	places *semaphore.Weighted // nil if there is no limit

	mu       sync.Mutex
	members  map[string]*member
	unused   list.List            // of *member, the longest unused first
	leaving  map[*member]struct{} // that are being closed
	waiting  int                  // members that wait for a place
	taken    int                  // places, those of members that are being closed included
	timer    *time.Timer          // of the next look at the unused; nil before the first
	ended    error                // why there are no more members, once there are none
	heritage map[string]heritage  // what identities had at the server that this one replaces
}

// A member is an identity and its session with one server.
type member struct {
	pool     *pool
	identity string
	ctx      context.Context    // of its preparation
	cancel   context.CancelFunc // of that
	ready    chan struct{}      // closed when the next two are set, of which one is
	server   *server
	err      error
	gone     chan struct{} // closed when it has left and its session is closed

	// Guarded by the pool's mutex.
	uses    int
	stage   string        // what it is being prepared by
	used    time.Time     // when the last use ended
	place   *list.Element // among the unused
	drained chan struct{} // closed when nobody uses it that leaves; nil if it does not

	person  *person
	claimed []any // guarded by people.mu
}

func newPool(c *MultiServerClient, s *server) *pool {
	p := &pool{client: c, server: s, members: map[string]*member{}, leaving: map[*member]struct{}{}}
	if limit := c.opts.Identities.MaxPerServer; limit > 0 {
		p.places = semaphore.NewWeighted(int64(limit))
	}
	return p
}

// enter returns the member for the identity of ctx, which is then in use until
// it is left. Without a bound of the request's own it takes no longer than the
// connect timeout.
func (p *pool) enter(ctx context.Context, unbounded bool) (*member, error) {
	if unbounded {
		var cancel context.CancelFunc
		ctx, cancel = withTimeout(ctx, "connect timeout", p.server.connectTimeout())
		defer cancel()
	}
	identity, err := p.client.opts.Identities.whose(ctx, p.client.opts.Logger, p.server.name)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.ended != nil {
		defer p.mu.Unlock()
		return nil, p.server.failure(ctx, PhaseConnect, "", nil, p.ended)
	}
	m := p.use(ctx, identity)
	p.mu.Unlock()
	return m.prepared(ctx)
}

// use makes the member of an identity, a new one if there is none, be in use. p.mu
// is held.
func (p *pool) use(ctx context.Context, identity string) *member {
	m := p.members[identity]
	if m == nil {
		m = p.prepare(ctx, identity)
	}
	m.uses++
	if m.place != nil {
		p.unused.Remove(m.place)
		m.place = nil
	}
	return m
}

// prepared returns the member, which is in use, when it is prepared. With an error
// it is left.
func (m *member) prepared(ctx context.Context) (*member, error) {
	select {
	case <-m.ready:
	case <-m.ctx.Done(): // so it is when it is prepared
	case <-ctx.Done():
		return nil, m.givenUp(ctx)
	}
	err := m.outcome()
	if err == nil {
		return m, nil
	}
	m.leave()
	return nil, m.pool.server.failure(ctx, PhaseConnect, "", nil, err)
}

// outcome returns what has come of the preparation, which is over: given up, perhaps,
// whether Identities.Connection returns or not.
func (m *member) outcome() error {
	select {
	case <-m.ready:
		return m.err
	default:
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	if m.pool.ended != nil {
		return m.pool.ended
	}
	return session.ErrRemoved
}

// givenUp returns the error of a request that has waited for the member too long.
func (m *member) givenUp(ctx context.Context) error {
	m.pool.mu.Lock()
	stage := m.stage
	m.pool.mu.Unlock()
	m.leave()
	e := m.pool.server.failure(ctx, PhaseConnect, "", nil, context.Cause(ctx))
	if stage == stageWaiting {
		e.Kind = ErrFull
		stage = fmt.Sprintf("as many identities (%d) have one as option Identities.MaxPerServer allows", m.pool.client.opts.Identities.MaxPerServer)
	}
	if stage != "" {
		e.Err = fmt.Errorf("%s: %w", stage, e.Err)
	}
	return e
}

// hold makes a member that is in use be in use once more. It must be left as
// often.
func (m *member) hold() {
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	m.uses++
}

// leave ends a use.
func (m *member) leave() {
	p := m.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.uses--; m.uses > 0 {
		return
	}
	switch {
	case m.drained != nil:
		close(m.drained)
	case p.members[m.identity] != m: // it could not be prepared, or all has ended
	case m.server == nil:
		delete(p.members, m.identity)
		m.cancel()
	default:
		m.used = time.Now()
		m.place = p.unused.PushBack(m)
		p.makeRoom()
		p.lookLater()
	}
}

// peek returns the server of an identity, or nil if it is no member.
func (p *pool) peek(identity string) *server {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.members[identity]; m != nil {
		return m.server
	}
	return nil
}

// servers returns those of the members that there are.
func (p *pool) servers() (all []*server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.server != nil {
			all = append(all, m.server)
		}
	}
	return all
}

// What members wait for while they are being prepared.
const (
	stageConnection = "Identities.Connection has not returned"
	stageWaiting    = "waiting for a place"
)

// prepare makes a new member, for as long as anybody waits for it. p.mu is held.
func (p *pool) prepare(ctx context.Context, identity string) *member {
	m := &member{pool: p, identity: identity, ready: make(chan struct{}), gone: make(chan struct{}), stage: stageConnection}
	p.members[identity] = m
	// Its values are those of its first request; the end is not everybody's.
	base := context.WithoutCancel(calls.Detach(ctx))
	m.ctx, m.cancel = context.WithCancel(base)
	go func() {
		defer m.cancel()
		connection, err := p.client.opts.Identities.connection(m.ctx, p.client.opts.Logger, identity, p.server.name, p.server.connection)
		placed := err == nil && p.takePlace(m.ctx, m)
		p.mu.Lock()
		defer p.mu.Unlock()
		defer close(m.ready)
		switch {
		case p.ended != nil:
			err = p.ended
		case err == nil && (!placed || p.members[identity] != m):
			err = session.ErrRemoved // or nobody waits for it any more
		case err == nil:
			if m.person, err = p.client.people.admit(m, connection, p.client.fleet.Load()); err == nil {
				m.stage, m.server = "", p.client.newMember(base, m, connection)
				return
			}
		}
		m.err = err
		if p.members[identity] == m {
			delete(p.members, identity)
		}
		if placed {
			p.freePlace()
		}
	}()
	return m
}

// takePlace waits for a place, in order, and reports whether there is one.
func (p *pool) takePlace(ctx context.Context, m *member) bool {
	if p.places == nil {
		return true
	}
	p.mu.Lock()
	m.stage = stageWaiting
	p.waiting++
	p.makeRoom()
	p.lookLater()
	p.mu.Unlock()
	err := p.places.Acquire(ctx, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting--
	if err != nil {
		return false
	}
	p.taken++
	return true
}

// freePlace gives a place to who waits next. p.mu is held.
func (p *pool) freePlace() {
	if p.places != nil {
		p.taken--
		p.places.Release(1)
	}
}
