package config

import (
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
