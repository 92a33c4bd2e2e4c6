package multiclient

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// people is what a client knows of the identities that have sessions.
type people struct {
	mu     sync.Mutex
	known  map[string]*person
	claims map[any]*claims
}

// A person is an identity that has sessions, whichever its servers are.
type person struct {
	toolset toolset
	changes atomic.Uint64 // of what Tools might return otherwise
	members int           // guarded by people.mu
}

// A claim says who uses what nobody else must.
type claim struct{ server, identity string }

// claims are as many as there are members that make them.
type claims struct {
	claim
	members int
}

// A belonging is a part of a connection that keeps something about who uses it.
type belonging struct {
	what     string
	value    any
	personal bool // rather than the program's
}

// belongings returns what the connection has of that kind.
func belongings(connection config.Connection) (all []belonging) {
	var client *http.Client
	switch c := byValue(connection).(type) {
	case config.StreamableHTTP:
		client = c.Client
		if c.OAuthHandler != nil {
			h, ours := c.OAuthHandler.(*auth.Handler)
			all = append(all, belonging{"OAuthHandler", c.OAuthHandler, !ours || h.ForUser()})
		}
	case config.SSE:
		client = c.Client
	}
	if client != nil && client.Jar != nil {
		all = append(all, belonging{"cookie jar", client.Jar, true})
	}
	return all
}

// byValue returns a connection that may be a pointer by value.
func byValue(connection config.Connection) config.Connection {
	return reflect.Indirect(reflect.ValueOf(connection)).Interface().(config.Connection)
}

// find returns the person, or nil if it has no session.
func (p *people) find(identity string) *person {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[identity]
}

// admit counts a member, whose connection must have nothing that is another's.
func (p *people) admit(m *member, connection config.Connection, others *fleet) (*person, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	claimed := map[any]claim{}
	for _, own := range belongings(connection) {
		if !reflect.TypeOf(own.value).Comparable() {
			continue
		}
		c := claim{server: m.pool.server.name}
		if own.personal {
			c.identity = m.identity
		}
		if have := p.claims[own.value]; have != nil && have.claim != c || inUse(own, c.server, others) {
			return nil, &Error{
				Kind: ErrUnavailable, Phase: PhaseConfigure, Server: c.server,
				Err: fmt.Errorf("the %s of the connection that Identities.Connection gave is another identity's or server's too: each needs its own", own.what),
			}
		}
		claimed[own.value] = c
	}
	if p.known == nil {
		p.known, p.claims = map[string]*person{}, map[any]*claims{}
	}
	for value, c := range claimed {
		if p.claims[value] == nil {
			p.claims[value] = &claims{claim: c}
		}
		p.claims[value].members++
		m.claimed = append(m.claimed, value)
	}
	who := p.known[m.identity]
	if who == nil {
		who = &person{}
		p.known[m.identity] = who
	}
	who.members++
	return who, nil
}

// inUse reports whether the connection of a server has what a member of the
// server of the name is to have for itself.
func inUse(own belonging, name string, others *fleet) bool {
	for other, s := range others.servers {
		if other == name && !own.personal {
			continue
		}
		for _, theirs := range belongings(s.connection) {
			if reflect.TypeOf(theirs.value).Comparable() && theirs.value == own.value {
				return true
			}
		}
	}
	return false
}

// dismiss takes a member out of the count.
func (p *people) dismiss(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, value := range m.claimed {
		if c := p.claims[value]; c != nil {
			if c.members--; c.members == 0 {
				delete(p.claims, value)
			}
		}
	}
	m.person.changes.Add(1)
	if m.person.members--; m.person.members == 0 {
		delete(p.known, m.identity)
	}
}

// whose returns whose a request is that several servers may get, as far as that
// matters for any of them.
func (c *MultiServerClient) whose(ctx context.Context) (identity string, ok bool) {
	if !c.fleet.Load().personal {
		return "", true
	}
	identity, err := c.opts.Identities.whose(ctx, c.opts.Logger, "")
	return identity, err == nil
}

// view returns what is remembered of the tools as the identity of ctx has them,
// and counts the changes that make it be out of date. The toolset is nil if
// there is none: nothing is remembered then.
func (c *MultiServerClient) view(ctx context.Context) (set *toolset, changes uint64) {
	identity, ok := c.whose(ctx)
	if !ok {
		return nil, 0
	}
	changes = c.changes.Load()
	if identity == "" {
		return &c.toolset, changes
	}
	if who := c.people.find(identity); who != nil {
		return &who.toolset, changes + who.changes.Load()
	}
	return nil, changes
}

// as returns the server as the identity of ctx has it, or nil if it has no
// session there. It opens none.
func (s *server) as(ctx context.Context) *server {
	if s.pool == nil {
		return s
	}
	identity, err := s.opts.Identities.whose(ctx, s.opts.Logger, s.name)
	if err != nil {
		return nil
	}
	return s.pool.peek(identity)
}
