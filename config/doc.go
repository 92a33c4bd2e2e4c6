// Package config describes the MCP servers that a client connects to.
//
//	connections := config.Connections{
//		"math":    config.Stdio{Command: "python", Args: []string{"math_server.py"}},
//		"weather": config.StreamableHTTP{URL: "http://localhost:8000/mcp"},
//	}
//
// [Load] and [Parse] read the same from the JSON files that MCP hosts use.
// Nothing here does network or process I/O.
package config
