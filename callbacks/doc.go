// Package callbacks says what MCP servers can send back while their tools
// run, and which server and tool each event belongs to.
//
// Set the fields of [Callbacks] that the program can serve:
//
//	cb := callbacks.Callbacks{
//		OnProgress: func(ctx context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
//			fmt.Printf("%s/%s: %v of %v\n", cc.ServerName, cc.ToolName, p.Progress, p.Total)
//		},
//	}
//
// and give them to the client. A callback that answers a request of the
// server ([Callbacks.OnElicitation]) is also a capability: it is declared to
// the server when, and only when, the field is set.
//
// Callbacks run in goroutines of the client. One that panics fails the call that
// its event belongs to, or is logged if it belongs to none; the client, other
// calls and later events go on.
package callbacks
