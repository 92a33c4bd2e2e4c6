package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Defaults of [Options].
const (
	DefaultOpenTimeout    = 10 * time.Second
	DefaultAnswerTimeout  = 10 * time.Minute
	DefaultSessionTimeout = 30 * time.Minute
	DefaultMaxSessions    = 100
	DefaultMaxWaiting     = 1000

	DefaultMaxWaitingPerClient = 50
)

// Options of a [Gateway]. The zero value is useful.
type Options struct {
	// Client configures how the servers are used: selection, names,
	// interceptors, timeouts. Its callbacks receive events in addition to the
	// client; those that answer requests are asked where a client with a session
	// does not have the capability. Collisions default to
	// [adapters.CollisionPrefix], and the log level to "debug", since a client
	// chooses its own.
	Client multiclient.Options

	// Implementation names the gateway to its clients. Nil means the name of
	// this library.
	Implementation *mcp.Implementation

	// Instructions come before those of the servers.
	Instructions string

	// OpenTimeout is how long a client waits at its first request until all
	// servers have said what they offer. What comes later is announced as a
	// change. 0 means the default above.
	OpenTimeout time.Duration

	// AnswerTimeout is how long a call waits for the answer to a question that
	// was asked inside a result (2026-07-28). 0 means the default above.
	AnswerTimeout time.Duration

	// SessionTimeout ends a session over HTTP that is not used. 0 means the
	// default above; a negative value means that it never ends by itself.
	SessionTimeout time.Duration

	// MaxSessions is how many sessions clients may have over HTTP at the same
	// time, each of which has connections of its own. 0 means the default above.
	MaxSessions int

	// MaxWaiting is how many calls may wait for answers to questions inside
	// results, and MaxWaitingPerClient how many of them may be of one client: one
	// user, or without users one session. Clients that have neither are not told
	// apart and share what MaxWaiting leaves. 0 means the defaults above.
	MaxWaiting, MaxWaitingPerClient int

	// Logger receives what no client can be told. Nil discards it.
	Logger *slog.Logger
}

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	var errs []error
	if c.OpenTimeout < 0 {
		errs = append(errs, fmt.Errorf("option OpenTimeout is negative (%v): use 0 for the default", c.OpenTimeout))
	}
	if c.AnswerTimeout < 0 {
		errs = append(errs, fmt.Errorf("option AnswerTimeout is negative (%v): use 0 for the default", c.AnswerTimeout))
	}
	if c.MaxSessions < 0 || c.MaxWaiting < 0 || c.MaxWaitingPerClient < 0 {
		errs = append(errs, errors.New("options MaxSessions, MaxWaiting and MaxWaitingPerClient must not be negative: use 0 for the default"))
	}
	c.OpenTimeout = cmp.Or(c.OpenTimeout, DefaultOpenTimeout)
	c.AnswerTimeout = cmp.Or(c.AnswerTimeout, DefaultAnswerTimeout)
	c.SessionTimeout = max(cmp.Or(c.SessionTimeout, DefaultSessionTimeout), 0)
	c.MaxSessions = cmp.Or(c.MaxSessions, DefaultMaxSessions)
	c.MaxWaiting = cmp.Or(c.MaxWaiting, DefaultMaxWaiting)
	c.MaxWaitingPerClient = cmp.Or(c.MaxWaitingPerClient, DefaultMaxWaitingPerClient)
	if c.Implementation == nil {
		c.Implementation = &mcp.Implementation{Name: "mcpadapters-gateway", Version: "1.0.0"}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Client.Collisions == "" {
		c.Client.Collisions = adapters.CollisionPrefix
	}
	if c.Client.LogLevel == "" {
		c.Client.LogLevel = "debug"
	}
	c.Client.Interceptors = slices.Concat([]interceptors.Interceptor{forwardMeta}, c.Client.Interceptors)
	return c, errors.Join(errs...)
}
