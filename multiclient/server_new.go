package multiclient

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// newServer returns a server, which takes over the subscriptions of the one that
// it replaces, if that is not nil. Its sessions are opened when they are needed.
func (c *MultiServerClient) newServer(name string, connection config.Connection, replaced *server) *server {
	s := c.baseServer(context.Background(), name, connection)
	if perIdentity(connection) {
		s.pool = newPool(c, s)
	}
	s.handler = interceptors.Chain(c.route(name), c.opts.Interceptors...)
	switch {
	case replaced == nil:
	case s.pool != nil && replaced.pool != nil:
		s.pool.heritage = replaced.pool.bequeath()
	case s.pool == nil:
		s.subscriptions.inherit(replaced.subscriptions.made())
	}
	s.begin("")
	return s
}

// newMember returns the server of a member of a pool. The values of ctx are those
// of what is done in the background.
func (c *MultiServerClient) newMember(ctx context.Context, m *member, connection config.Connection) *server {
	s := c.baseServer(ctx, m.pool.server.name, connection)
	s.member, s.handler = m, m.pool.server.handler
	s.catalogue.changes = &m.person.changes
	s.subscriptions.inherit(m.pool.heritage[m.identity].uris)
	delete(m.pool.heritage, m.identity)
	s.begin(m.identity)
	return s
}

// baseServer returns what every server has.
func (c *MultiServerClient) baseServer(ctx context.Context, name string, connection config.Connection) *server {
	s := &server{
		name:       name,
		opts:       &c.opts,
		connection: byValue(connection),
		settings:   connection.Common(),
		catalogue:  catalogue{busy: make(chan struct{}, 1), versions: &c.versions, changes: &c.changes},
	}
	s.slots = s.newSlots()
	s.base, s.stop = context.WithCancel(ctx)
	return s
}

// begin makes a server that is complete ready to be used.
func (s *server) begin(identity string) {
	name, opts := s.name, s.opts
	cb := opts.Callbacks
	if own, ok := opts.ServerCallbacks[name]; ok {
		cb = callbacks.Override(cb, own)
	}
	cb = s.tellingTyped(cb)
	s.watchesTools, s.watches = cb.OnToolsChanged != nil, announces(&cb)
	s.restoration = newRestoration(s.base, opts.Reconnect.retry())
	logLevel := opts.LogLevel
	if logLevel == "" && cb.OnLoggingMessage != nil {
		logLevel = "info"
	}
	var configure func(*mcp.Client)
	if opts.ConfigureClient != nil {
		configure = func(client *mcp.Client) { opts.ConfigureClient(name, client) }
	}
	s.redactor = redact.New(config.Secrets(s.connection))
	connection := sharingSignIn(s.connection)
	http, _ := connection.(config.StreamableHTTP)
	s.signsIn = http.OAuthHandler != nil
	s.manager = session.New(session.Options{
		Server:          name,
		Identity:        identity,
		Connection:      connection,
		ConnectTimeout:  s.connectTimeout(),
		CloseTimeout:    s.closeTimeout(),
		DiscoverTimeout: opts.DiscoverTimeout,
		Retry:           opts.Reconnect.retry(),
		ClientInfo:      opts.ClientInfo,
		Callbacks:       cb,
		LogLevel:        logLevel,
		Configure:       configure,
		Opened:          s.opened,
		ListChanged:     s.listChanged,
		Ended:           s.sessionEnded,
		Logger:          s.redactor.Logger(opts.Logger),
	})
	s.watchLists(cb)
	if opts.HealthCheck > 0 && s.pool == nil {
		s.background.Go(func() { s.checkHealth(s.base, opts.HealthCheck) })
	}
}
