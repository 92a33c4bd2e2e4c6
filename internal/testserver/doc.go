// Package testserver is an MCP server for tests, with tools that report
// progress, log, ask the user and misbehave, on every transport and on both
// generations of the protocol.
package testserver
