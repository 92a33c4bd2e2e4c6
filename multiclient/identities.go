package multiclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// Defaults of [Identities].
const (
	DefaultMaxPerServer = 100
	DefaultIdleTimeout  = 15 * time.Minute
)

// ErrNoIdentity: the context of a request to a connection with
// [config.SessionPerIdentity] does not say whose it is. Nothing was sent.
const ErrNoIdentity ErrorKind = "no identity"

// ErrFull: as many identities have a session with the server as may, and none of
// these became free in time. Nothing was sent.
const ErrFull ErrorKind = "all sessions are in use"

// Identities says whose sessions are used of connections with
// [config.SessionPerIdentity]. An identity is whatever has to be kept apart, such
// as each user of a service. At each of these servers it has a session of its
// own (over stdio a process), with its own lists, subscriptions, attempts to
// reconnect and limit of calls in flight. The zero value is for clients without
// such connections.
//
// Sessions are opened when an identity first uses a server. One that is not used
// is closed after IdleTimeout, or as soon as its place is needed for another
// identity, the longest unused first. In use is a session on which a request is
// in flight or a question of the server is open, that is leased, or that has
// subscriptions to resources: those hold it until they are taken back or the
// identity is forgotten ([MultiServerClient.ForgetIdentity]).
//
// An identity is never part of an error, a log message or a status. Callbacks
// are told it by callbacks.CallbackContext.
type Identities struct {
	// Of returns whose a request is, by its context: that of the method called,
	// or what interceptors made of it. It is called for each request, also
	// concurrently, and has to be quick. An error, or an empty identity, fails the
	// request with an error of kind [ErrNoIdentity]; the text of the error becomes
	// part of that.
	Of func(ctx context.Context) (string, error)

	// Connection returns the connection of an identity to the server of the name:
	// with its own headers, OAuthHandler, variables or arguments. It is given the
	// one that the client has. The time bounds of requests (ListTimeout,
	// CallTimeout) remain those of that one; the SessionPolicy of the result says
	// how the calls of the identity share its session, where SessionPerIdentity is
	// the same as SessionShared.
	//
	// It is called once for each session of an identity in the pool, whoever waits
	// for it, with the values of the context of the first who does, and ends with
	// the last. An error fails all of them. What belongs to one user, an
	// OAuthHandler or the cookie jar of an HTTP client, must not be given to two
	// identities, which is an error too. Nil means that all identities use the
	// connection as it is.
	Connection func(ctx context.Context, identity, server string, connection config.Connection) (config.Connection, error)

	// MaxPerServer is how many identities may have sessions with each server at
	// the same time, those that are being closed included. A request of another
	// one waits, in order, and fails with an error of kind [ErrFull] when its time
	// is over. 0 means the default above; a negative value means no limit.
	MaxPerServer int

	// IdleTimeout is after what time without use a session is closed. 0 means the
	// default above; a negative value means never.
	IdleTimeout time.Duration
}

// withDefaults returns a copy with every default filled in.
func (i Identities) withDefaults() Identities {
	i.MaxPerServer = cmp.Or(i.MaxPerServer, DefaultMaxPerServer)
	i.IdleTimeout = cmp.Or(i.IdleTimeout, DefaultIdleTimeout)
	return i
}

func perIdentity(connection config.Connection) bool {
	return connection.Common().SessionPolicy == config.SessionPerIdentity
}

// faults reports connections that cannot have a session for each identity.
func (i *Identities) faults(connections config.Connections) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		if !perIdentity(connections[name]) {
			continue
		}
		if i.Of == nil {
			errs = append(errs, fmt.Errorf("connection %q has a session for each identity (sessionPolicy %q): set option Identities.Of, which says whose a call is", name, config.SessionPerIdentity))
		}
		for _, own := range belongings(connections[name]) {
			if i.Connection == nil && own.personal {
				errs = append(errs, fmt.Errorf("connection %q has a session for each identity, but one %s for all of them: give each its own by option Identities.Connection", name, own.what))
			}
		}
	}
	return errs
}

// whose returns whose a request to the server of the name is.
func (i *Identities) whose(ctx context.Context, logger *slog.Logger, name string) (_ string, err error) {
	defer func() {
		if err != nil {
			err = &Error{Kind: ErrNoIdentity, Phase: PhaseLookup, Server: name, Err: err}
		}
	}()
	defer panics.RecoverUnnamed(logger, "Identities.Of", &err)
	identity, err := i.Of(ctx)
	if err == nil && identity == "" {
		err = errors.New("the context of the request says of nobody whose it is: Identities.Of has returned an empty string")
	}
	return identity, err
}

// connection returns the connection of an identity, by value.
func (i *Identities) connection(ctx context.Context, logger *slog.Logger, identity, name string, base config.Connection) (_ config.Connection, err error) {
	if i.Connection == nil {
		return base, nil
	}
	defer func() {
		if err != nil {
			err = &Error{Kind: ErrUnavailable, Phase: PhaseConfigure, Server: name, Err: &unnamed{err, identity}}
		}
	}()
	defer panics.RecoverUnnamed(logger, "Identities.Connection", &err)
	connection, err := i.Connection(ctx, identity, name, base)
	if err != nil {
		return nil, fmt.Errorf("Identities.Connection: %w", err)
	}
	if err := (config.Connections{name: connection}).Validate(); err != nil {
		return nil, fmt.Errorf("Identities.Connection: %w", err)
	}
	return byValue(connection), nil
}

// unnamed is an error of the program that says nothing of whose it is.
type unnamed struct {
	err      error
	identity string
}

func (e *unnamed) Error() string { return strings.ReplaceAll(e.err.Error(), e.identity, "[identity]") }

func (e *unnamed) Unwrap() error { return e.err }
