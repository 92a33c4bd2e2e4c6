package multiclient

import (
	"context"
	"maps"
)

// A heritage is what an identity had at a server that another has taken the place
// of.
type heritage struct {
	uris   []string        // of the resources it has subscribed to
	values context.Context // of what is done for it in the background
}

// bequeath returns what the next pool is to inherit, by whose it is.
func (p *pool) bequeath() map[string]heritage {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]heritage{}
	for _, m := range p.members {
		if m.server == nil {
			continue
		}
		if uris := m.server.subscriptions.made(); len(uris) > 0 {
			all[m.identity] = heritage{uris, context.WithoutCancel(m.server.base)}
		}
	}
	limit := p.client.opts.Identities.MaxPerServer
	for identity, was := range p.heritage {
		if limit > 0 && len(all) >= limit {
			break // or those who never come back would be kept for ever
		}
		all[identity] = was
	}
	return all
}

// restore opens the sessions of those who wait for what the server announces. It
// does not block.
func (p *pool) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for identity, was := range maps.Clone(p.heritage) {
		p.server.background.Go(func() {
			ctx, cancel := withTimeout(was.values, "connect timeout", p.server.connectTimeout())
			defer cancel()
			defer context.AfterFunc(p.server.base, cancel)()
			m, err := p.enterAgain(ctx, identity)
			if m == nil && err == nil {
				return
			}
			if err != nil {
				if p.server.base.Err() == nil {
					p.client.opts.Logger.Warn("subscriptions of an identity wait for its next request", "server", p.server.name, "error", err)
				}
				return
			}
			defer m.leave()
			m.server.sessionEnded(0)
		})
	}
}

// enterAgain is enter for an identity that has had subscriptions. It returns nil if
// that has been forgotten meanwhile.
func (p *pool) enterAgain(ctx context.Context, identity string) (*member, error) {
	p.mu.Lock()
	if _, ok := p.heritage[identity]; p.ended != nil || !ok && p.members[identity] == nil {
		p.mu.Unlock()
		return nil, nil
	}
	m := p.use(ctx, identity)
	p.mu.Unlock()
	return m.prepared(ctx)
}
