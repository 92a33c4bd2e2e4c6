// Package logging writes what MCP servers send to a [slog.Logger]: their log
// messages, each with the server, the tool and the call it belongs to, and by
// option progress, connections, changes and errors of transports.
//
//	cb := callbacks.Merge(
//		logging.New(slog.Default(), &logging.Options{Connections: true}),
//		callbacks.Callbacks{OnElicitation: ask},
//	)
//
// Sizes are bounded. Control characters are left to the logger's handler:
// those of log/slog quote them; a handler that prints to a terminal by itself
// has to do so too.
package logging
