package config

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// InMemory is a server of the Go SDK that runs in this process.
type InMemory struct {
	// Server answers. It is required, and stays the caller's.
	Server *mcp.Server

	// ServerSessionOptions are passed to the server for each session. Nil is
	// fine.
	ServerSessionOptions *mcp.ServerSessionOptions

	Settings
}

// Transport returns "in_memory".
func (InMemory) Transport() string { return "in_memory" }

// Custom is a server that is reached by a transport of the caller's own.
type Custom struct {
	// NewTransport returns a transport for one session. It is required, and
	// called again for each new session, since a transport cannot be used
	// twice. The context is that of the attempt to connect.
	NewTransport func(ctx context.Context) (mcp.Transport, error)

	// Name describes the transport in errors. It may be empty.
	Name string

	Settings
}

// Transport returns "custom".
func (Custom) Transport() string { return "custom" }
