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
//
// What a program gives to a client may panic. Most of it is called in goroutines
// that are not the program's: callbacks, header sources, OAuth handlers, the
// transports of HTTP clients, custom transports, middleware, [Selection].Keep and
// the functions of [Identities]. A panic there is an error of what it was called
// for, and never ends the process. That of an interceptor, in the caller's
// goroutine, goes on to the caller and leaves nothing held.
package multiclient
