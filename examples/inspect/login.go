package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
	"github.com/langchaingo-mcp/mcpadapters/auth/loopback"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A login signs in at the servers that ask for it.
type login struct {
	notes    io.Writer // where people are told where to go
	browser  bool      // whether a browser is opened
	store    auth.Store
	turn     chan struct{} // to listen on a port that several servers may have
	handlers []*auth.Handler
}

// newLogin returns nil if nobody is to sign in.
func newLogin(opts options, notes io.Writer) *login {
	if !opts.login {
		return nil
	}
	l := &login{notes: notes, browser: opts.browser, store: auth.NewMemory(), turn: make(chan struct{}, 1)}
	if opts.tokens != "" {
		l.store = filestore.New(opts.tokens)
	}
	return l
}

// prepare returns the connections with a handler for each that has none. A
// header that says who is calling is an answer already.
func (l *login) prepare(connections config.Connections) (config.Connections, error) {
	own := maps.Clone(connections)
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		c, ok := connections[name].(config.StreamableHTTP)
		if !ok || c.Headers.Get("Authorization") != "" {
			continue
		}
		handler, err := l.handler(name, c)
		if err != nil {
			return nil, err
		}
		c.OAuthHandler = handler
		own[name] = c
	}
	return own, nil
}

func (l *login) handler(name string, c config.StreamableHTTP) (*auth.Handler, error) {
	says := c.OAuth
	invalid := func(err error) error {
		return configError{fmt.Errorf("server %q cannot be signed in to: %w", name, err)}
	}
	receiver := &loopback.Receiver{}
	if says.RedirectURL != "" {
		var err error
		if receiver, err = loopback.At(says.RedirectURL, nil); err != nil {
			return nil, invalid(err)
		}
	}
	receiver.Visit = func(_ context.Context, p *auth.Prompt) error { return l.visit(name, p) }
	var waiting auth.Receiver = receiver
	if receiver.Port != 0 {
		waiting = queued{receiver, l.turn}
	}
	options := &auth.UserOptions{
		Options:           auth.Options{Store: l.store},
		Receiver:          waiting,
		ClientID:          says.ClientID,
		ClientSecret:      auth.Secret(says.ClientSecret),
		ClientMetadataURL: says.ClientMetadataURL,
		Issuer:            says.Issuer,
	}
	options.Registration.ClientName = "mcpadapters inspect"
	if len(says.Scopes) > 0 {
		options.Scopes = func([]string) []string { return says.Scopes }
	}
	handler, err := auth.NewUser(options)
	if err != nil {
		return nil, invalid(err)
	}
	l.handlers = append(l.handlers, handler)
	return handler, nil
}

// A queued receiver waits for its turn.
type queued struct {
	auth.Receiver
	turn chan struct{}
}

func (q queued) Receive(ctx context.Context) (auth.Reception, error) {
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	reception, err := q.Receiver.Receive(ctx)
	if err != nil {
		<-q.turn
		return nil, err
	}
	return inTurn{reception, q.turn}, nil
}

type inTurn struct {
	auth.Reception
	turn chan struct{}
}

func (r inTurn) Close() error {
	defer func() { <-r.turn }()
	return r.Reception.Close()
}

// visit tells people where to go, and opens a browser there if it may. All of
// the prompt but Server is of others.
func (l *login) visit(name string, p *auth.Prompt) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: sign in at %s for %s", name, p.Host, p.Server)
	if len(p.Scopes) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(p.Scopes, ", "))
	}
	fmt.Fprintf(l.notes, "%s:\n%s\n", cell(b.String(), noLimit), cell(p.URL, noLimit))
	if !l.browser {
		return nil
	}
	if err := openBrowser(p.URL); err != nil {
		fmt.Fprintf(l.notes, "%s: no browser was opened: %s\n", cell(name, noLimit), cell(err.Error(), noLimit))
	}
	return nil
}

// close gives up what is under way.
func (l *login) close() {
	if l == nil {
		return
	}
	for _, h := range l.handlers {
		h.Close()
	}
}

// hints adds to refusals what can be done about them.
func (in *inspector) hints(problems []problem) {
	for i, p := range problems {
		c, ok := in.connections[p.Server]
		if p.Status != http.StatusUnauthorized || !ok {
			continue
		}
		switch web, ok := c.(config.StreamableHTTP); {
		case !ok:
			problems[i].Message += "; there is no signing in over this transport: give a token in headers"
		case web.Headers.Get("Authorization") != "":
			problems[i].Message += "; the Authorization of the configuration was refused: leave it out to sign in with -login"
		case in.login == nil:
			problems[i].Message += "; -login signs in"
		}
	}
}
