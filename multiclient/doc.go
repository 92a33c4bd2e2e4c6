// Package multiclient uses many MCP servers as one toolbox.
//
//	client, err := multiclient.New(config.Connections{
//		"math":    config.Stdio{Command: "python", Args: []string{"math_server.py"}},
//		"weather": config.StreamableHTTP{URL: "http://localhost:8000/mcp"},
//	}, &multiclient.Options{ToolNamePrefix: true})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	tools, err := client.Tools(ctx) // for any langchaingo agent
//
// Sessions are opened on first use, shared by all calls, and replaced when
// they are lost. Tools hold a route (server and tool), never a session, and so
// outlive it.
package multiclient
