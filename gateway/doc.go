// Package gateway serves many MCP servers as one.
//
//	gw, err := gateway.New(config.Connections{
//		"files": config.Stdio{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/data"}},
//		"notes": config.StreamableHTTP{URL: "http://localhost:8000/mcp"},
//	}, nil)
//	if err != nil {
//		return err
//	}
//	defer gw.Close()
//	err = gw.Run(ctx, &mcp.StdioTransport{})     // one client, over stdin and stdout
//	err = http.ListenAndServe(addr, gw.Handler()) // any number of them, over streamable HTTP
//
// A client of the gateway sees the tools, prompts, resources and resource
// templates of all servers. Its calls go through the interceptors to the server
// concerned; what that server sends meanwhile comes back to the very client,
// and with the very progress token, that caused it.
//
// # Whose event is it
//
// A client with a session (stdio, and HTTP up to protocol version 2025-11-25)
// has sessions of its own with the servers, and over stdio processes of its
// own. What a server sends can therefore only be its own, roots and
// capabilities are its own, and the servers keep its state apart from that of
// others.
//
// Clients of protocol version 2026-07-28 over HTTP have no sessions; they share
// one set of connections. Over streamable HTTP every event is exact
// nevertheless. Connections of other transports get a session for each call
// ([config.SessionPerCall]) unless their settings ask for something else. What
// cannot be told whose it is then is not passed on, and a question refused.
//
// # What is passed on
//
// Progress, log messages, elicitations (form and URL), sampling and roots; to
// clients of 2026-07-28 questions go inside results, and the call waits at its
// server meanwhile. Changes of lists, changes of subscribed resources,
// completion, cancellation, and _meta. Headers of the client's HTTP requests, such
// as its authorization, are never passed on.
package gateway
