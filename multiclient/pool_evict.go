package multiclient

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// lookAgain is how soon members are looked at again that nobody uses but their
// servers, while others wait for their places.
const lookAgain = time.Second

// held reports whether a member that nobody uses is to stay nevertheless.
func (m *member) held() bool {
	return len(m.server.subscriptions.list()) > 0 || m.server.manager.InUse()
}

// makeRoom ends members that are not in use for those that wait for a place. p.mu
// is held.
func (p *pool) makeRoom() {
	for e := p.unused.Front(); e != nil && p.wanting(); {
		m := e.Value.(*member)
		e = e.Next()
		if !m.held() {
			p.evict(m)
		}
	}
}

// wanting reports whether more members wait than there are places that are free
// or about to be. p.mu is held.
func (p *pool) wanting() bool {
	if p.places == nil {
		return false
	}
	free := p.client.opts.Identities.MaxPerServer - p.taken
	return p.waiting > free+len(p.leaving)
}

// lookLater sets the timer. p.mu is held.
func (p *pool) lookLater() {
	idle := p.client.opts.Identities.IdleTimeout
	first := p.unused.Front()
	if first == nil || p.ended != nil || idle < 0 && !p.wanting() {
		if p.timer != nil {
			p.timer.Stop()
		}
		return
	}
	wait := max(0, time.Until(first.Value.(*member).used.Add(idle)))
	if p.wanting() && (wait > lookAgain || idle < 0) {
		wait = lookAgain
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, p.look)
	} else {
		p.timer.Reset(wait)
	}
}

// look ends the members that have not been used for too long.
func (p *pool) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return
	}
	now := time.Now()
	var next *list.Element
	for e, n := p.unused.Front(), p.unused.Len(); n > 0; e, n = next, n-1 {
		next = e.Next()
		m := e.Value.(*member)
		idle := p.client.opts.Identities.IdleTimeout
		switch {
		case idle < 0 || now.Sub(m.used) < idle:
			n = 1 // so are the rest
		case m.held():
			m.used = now
			p.unused.MoveToBack(e)
		default:
			p.evict(m)
		}
	}
	p.makeRoom()
	p.lookLater()
}

// evict ends a member that nobody uses, in the background. p.mu is held.
func (p *pool) evict(m *member) {
	p.dismiss(m)
	go func() {
		if err := p.end(m); err != nil {
			p.client.opts.Logger.Warn("an unused session has not been closed in time", "server", p.server.name, "error", err)
		}
	}()
}

// dismiss makes a member one that leaves. p.mu is held.
func (p *pool) dismiss(m *member) {
	delete(p.members, m.identity)
	if m.place != nil {
		p.unused.Remove(m.place)
		m.place = nil
	}
	p.leaving[m] = struct{}{}
	m.person.changes.Add(1)
}

// end closes a member that leaves, within its close timeout and a second.
func (p *pool) end(m *member) error {
	m.server.refuse(session.ErrRemoved)
	err := m.server.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leaving, m)
	close(m.gone)
	p.client.people.dismiss(m)
	p.freePlace()
	p.makeRoom()
	p.lookLater()
	return err
}

// forget makes the member of an identity leave, if there is one, and returns what
// ends it, and what waits for those that leave already: its requests may end, for as
// long as the close timeout and no longer than ctx.
func (p *pool) forget(identity string) (ends []func(ctx context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.heritage, identity)
	for m := range p.leaving {
		if m.identity == identity {
			ends = append(ends, m.untilGone)
		}
	}
	m := p.members[identity]
	if m == nil {
		return ends
	}
	if m.server == nil {
		delete(p.members, identity)
		m.cancel()
		return ends
	}
	p.dismiss(m)
	if m.uses > 0 {
		m.drained = make(chan struct{})
	}
	return append(ends, m.endDrained)
}

// untilGone waits until a member that leaves is closed.
func (m *member) untilGone(ctx context.Context) error {
	return m.pool.server.untilClosed(ctx, func() error {
		<-m.gone
		return nil
	})
}

// endDrained ends a member that leaves when nobody uses it any more, or time is
// over.
func (m *member) endDrained(ctx context.Context) error {
	m.server.refuse(session.ErrRemoved)
	if m.drained != nil {
		drained, cancel := context.WithTimeout(ctx, m.server.closeTimeout())
		select {
		case <-m.drained:
		case <-drained.Done():
		}
		cancel()
	}
	return m.pool.server.untilClosed(ctx, func() error { return m.pool.end(m) })
}

// refuse lets no member in any more: requests that wait for a session get the
// cause, and those in flight go on until close. Only the first cause counts.
func (p *pool) refuse(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return
	}
	p.ended = cause
	p.lookLater()
	for _, m := range p.members {
		if m.server == nil {
			m.cancel()
		} else {
			m.server.refuse(cause)
		}
	}
}

// close ends all members, each within its close timeout and a second.
func (p *pool) close() error {
	p.refuse(session.ErrClosed)
	var closing []func() error
	p.mu.Lock()
	for m := range p.leaving {
		closing = append(closing, m.server.close) // too, and not only when it is left
	}
	for _, m := range p.members {
		if m.server != nil {
			p.dismiss(m)
			closing = append(closing, func() error { return p.end(m) })
		}
	}
	p.mu.Unlock()
	errs := make([]error, len(closing))
	var wg sync.WaitGroup
	for i, end := range closing {
		wg.Go(func() { errs[i] = end() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
