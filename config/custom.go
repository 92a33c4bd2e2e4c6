package config

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Custom is a server that is reached by a transport of the caller's own.
//
// A Write of its connection should return when its context ends. One that does not
// is not waited for, but keeps a goroutine; when there are too many of them, the
// session is replaced. All methods must return when the connection is closed.
type Custom struct {
	// NewTransport returns a transport for one session. It is required, and
	// called again for each new session, since a transport cannot be used
	// twice. The context is that of the attempt to connect; what it returns when that
	// has ended is not used, and what belongs to it is its own to end.
	NewTransport func(ctx context.Context) (mcp.Transport, error)

	// Name describes the transport in errors. It may be empty.
	Name string

	Settings
}

// Transport returns "custom".
func (Custom) Transport() string { return "custom" }
