// Package config describes the MCP servers that a client connects to.
//
//	connections := config.Connections{
//		"math":    config.Stdio{Command: "python", Args: []string{"math_server.py"}},
//		"weather": config.StreamableHTTP{URL: "http://localhost:8000/mcp"},
//	}
//
// [Load] and [Parse] read the same from the JSON files that MCP hosts use.
// Nothing here does network or process I/O.
//
// # Files
//
// A file has one of three forms:
//
//	{"mcpServers": {"math": {...}, "weather": {...}}}  Claude Desktop, Claude Code, Cursor, ...
//	{"servers": {"math": {...}, "weather": {...}}}     VS Code
//	{"math": {...}, "weather": {...}}                  the connections of LangChain
//
// With "mcpServers" everything beside it is ignored. "servers" is the name of
// a server, and the form the third, if it holds a connection; if it holds
// servers while keys beside it are connections, the file is refused. In the
// third form "$schema" is no server. Null is the same as no key.
//
// The keys of a server are
//
//	transport, type   "stdio" or "local"; "http", "streamable_http", "streamable-http",
//	                  "streamableHttp" or "streamable"; "sse". Without it a command means
//	                  stdio, a url whose path ends in /sse means sse, another url means
//	                  streamable HTTP.
//	command, args, env, cwd, terminateTimeout, maxMessageSize
//	                  of [Stdio]. Values of env may be numbers and booleans, which are
//	                  passed as they are written.
//	url, headers, maxMessageSize
//	                  of [StreamableHTTP] and [SSE]. Values of headers as those of env.
//	connectTimeout, listTimeout, callTimeout, closeTimeout, protocolVersion, sessionPolicy
//	                  of [Settings]. Timeouts are written "30s" or "5m".
//	disabled, enabled true or false. A server that is disabled, or not enabled, is left
//	                  out, and not looked at.
//
// Other keys are ignored, and so are those that the server's transport does
// not have. Among them are "timeout" and "sse_read_timeout": they are seconds
// for some hosts and milliseconds for others, and bound different things.
//
// # Variables
//
// In the values of command, args, env, cwd, url and headers
//
//	${NAME}            is the value of the variable, which has to be set
//	${NAME:-default}   is the default if the variable is not set or empty
//	${env:NAME}        is the same as ${NAME}, also with a default
//	$${                is ${ itself
//
// They are expanded once, after the file is parsed, so that a value can
// neither change the structure of the file nor bring in other variables. A
// default holds neither "}" nor another reference. $NAME is not expanded.
//
// # Secrets
//
// Connections show no values of variables and headers and no secret parts of
// URLs when they are printed with any verb, logged, or encoded as JSON or
// text. This cannot reach into an unexported field that holds a connection:
// package fmt prints those without asking their type.
package config
