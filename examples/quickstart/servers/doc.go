// Package servers has three small MCP servers for the quickstart: one that
// asks the user, one that takes its time, and one that knows a few things.
//
// They are written with the official Go SDK, and nothing in them knows of the
// client that uses them.
package servers
