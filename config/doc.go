// Package config describes the MCP servers that a client connects to.
//
//	connections := config.Connections{
//		"math":    config.Stdio{Command: "python", Args: []string{"math_server.py"}},
//		"weather": config.StreamableHTTP{URL: "http://localhost:8000/mcp"},
//	}
//
// [Load], [Parse] and [Read] read the same from the files that MCP clients
// have: Claude Desktop, Claude Code, Cursor, VS Code, Gemini CLI, Windsurf,
// Codex, LangChain and FastMCP, in JSON (with comments), TOML or YAML, told
// apart by themselves. Nothing here does network or process I/O.
//
// docs/configuration.md has all keys of all of them on one page, and [Schema]
// is for editors.
//
// # Files
//
// A file has one of these forms, in any of the three formats:
//
//	{"mcpServers": {"math": {...}, "weather": {...}}}  Claude, Cursor, Gemini CLI, Windsurf, FastMCP, our own
//	{"mcp_servers": {"math": {...}}}                   Codex
//	{"servers": {"math": {...}}, "inputs": [...]}      VS Code
//	{"math": {...}, "weather": {...}}                  the connections of LangChain
//
// With "mcpServers" everything beside it is ignored. "servers" is the name of
// a server, and the form the last, if it holds a connection; if it holds
// servers while keys beside it are connections, the file is refused. In the
// last form "$schema" is no server. Null is the same as no key.
//
// The keys of a server, in camelCase or snake_case, are
//
//	transport, type   "stdio" or "local"; "http", "streamable_http", "streamable-http",
//	                  "streamableHttp", "streamable" or "remote"; "sse". Without it a
//	                  command means stdio, a url whose path ends in /sse means sse,
//	                  another url means streamable HTTP.
//	command, args, env, envFile, envVars, cwd, terminateTimeout, killTimeout, waitDelay, maxMessageSize
//	                  of [Stdio]. Values of env may be numbers and booleans, which are
//	                  passed as they are written; envFile names a file of NAME=value
//	                  lines, envVars variables of this process to pass on.
//	url, headers, envHttpHeaders, bearerTokenEnvVar, maxMessageSize
//	                  of [StreamableHTTP] and [SSE]. url may be called httpUrl or
//	                  serverUrl, headers httpHeaders. The values of envHttpHeaders and
//	                  bearerTokenEnvVar are names of variables.
//	oauth             an object, the [OAuth] of [StreamableHTTP].
//	connectTimeout, listTimeout, callTimeout, closeTimeout, protocolVersion, sessionPolicy, maxInFlight, required
//	                  of [Settings]. Timeouts are written "30s" or "5m".
//	includeTools, excludeTools
//	                  the [ToolFilter]. Also called enabledTools and disabledTools.
//	disabled, enabled true or false. A server that is disabled, or not enabled, is left
//	                  out, and not looked at.
//
// A key that misses one of these by a letter, such as "header", is a fault,
// unless it may well be the word of another client (near to timeout, required,
// oauth and scopes) or begins with no letter, by which keys are switched off
// ("_env"). Others that are not known are those of other clients: warnings of
// [Read], of which [Load] and [Parse] say nothing, and faults if
// [ParseOptions].Strict is set. So are, as warnings only, keys that have no
// effect. What "timeout" means depends on the [Dialect].
//
// # Variables
//
// In the values of command, args, env, envFile, cwd, url, headers and oauth
//
//	${NAME}            is the value of the variable, which has to be set
//	${NAME:-default}   is the default if the variable is not set or empty
//	${env:NAME}        is the same as ${NAME}, also with a default
//	${input:id}        is the answer to one of the "inputs": see [Input]
//	${file:path}       is the content of a file, if [ParseOptions].FileReferences is set
//	${workspaceFolder}, ${workspaceFolderBasename}, ${userHome}, ${pathSeparator}, ${/}
//	$${                is ${ itself
//
// They are expanded once, after the file is parsed, so that a value can
// neither change the structure of the file nor bring in other variables. A
// default holds neither "}" nor another reference. $NAME is expanded only in
// files of Gemini CLI, where $$NAME is $NAME itself.
//
// # Secrets
//
// Connections show no values of variables and headers and no secret parts of
// URLs when they are printed with any verb, logged, or encoded as JSON or
// text, nor what a variable, an input or a file has put into the program or
// URL. This cannot reach into an unexported field that holds a connection:
// package fmt prints those without asking their type.
package config
