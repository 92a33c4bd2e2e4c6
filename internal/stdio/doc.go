// Package stdio starts MCP servers as child processes and ends them reliably.
//
// [Start] spawns a [Command] in a process group of its own and returns a
// [Process]. Its Reader yields the messages that the server writes to standard
// output, one a line, and nothing else: banners, log lines and other noise are
// taken out and reported, since a single such line would end a session of the
// SDK. Its Writer is standard input. Standard error is read all the time, so
// that the server never blocks on it, and its last lines are kept for errors.
//
//	p, err := stdio.Start(stdio.Command{Path: "npx", Args: []string{"-y", "some-server"}})
//	if err != nil {
//		return err
//	}
//	session, err := client.Connect(ctx, p.Transport(), nil)
//	...
//	err = p.Close(ctx)
//
// # How a process ends
//
// [Process.Close] follows the shutdown of the specification: close standard
// input, wait, send SIGTERM, wait, send SIGKILL. Signals go to the whole group,
// and what is left of the group when its leader is gone is ended as well, on
// SIGTERM first, whether the leader was asked to exit or crashed. Out of reach
// are only processes that left the group on purpose (setsid). One that holds
// standard error is still waited for as if it was in the group, which is within
// the same bounds.
//
// On Windows a job object stands for the group and CTRL_BREAK for SIGTERM.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
// and https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio.
package stdio
