package main

import (
	"os"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/servers"
)

// connections says where the three servers are. Those of your own may as well
// come from a file: config.Load reads the mcpServers of Claude, Cursor and
// others.
func connections(tasksURL string) (config.Connections, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return config.Connections{
		"library": config.Stdio{Command: self, Args: []string{serveLibrary}},
		"tasks":   config.StreamableHTTP{URL: tasksURL},
		"handy":   config.InMemory{Server: servers.Handy()},
	}, nil
}
