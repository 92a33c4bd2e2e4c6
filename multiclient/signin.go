package multiclient

import (
	"fmt"
	"maps"
	"slices"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// sharingSignIn returns the connection with a handler that many callers can
// use.
func sharingSignIn(connection config.Connection) config.Connection {
	switch c := connection.(type) {
	case config.StreamableHTTP:
		c.OAuthHandler = auth.Share(c.OAuthHandler)
		return c
	case *config.StreamableHTTP:
		own := *c
		own.OAuthHandler = auth.Share(c.OAuthHandler)
		return own
	}
	return connection
}

// signInFaults reports handlers that would send the token for one server to
// another.
func signInFaults(connections config.Connections) []error {
	var errs []error
	first := map[*auth.Handler]string{}
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		c, ok := sharingSignIn(connections[name]).(config.StreamableHTTP)
		if !ok {
			continue
		}
		h, ok := c.OAuthHandler.(*auth.Handler)
		if !ok {
			continue
		}
		if other, ok := first[h]; ok {
			errs = append(errs, fmt.Errorf("connections %q and %q have the same OAuthHandler: it would send the token for one server to the other, so that each needs its own", other, name))
			continue
		}
		first[h] = name
	}
	return errs
}
