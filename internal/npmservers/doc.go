// Package npmservers runs MCP servers that others wrote, for tests: the
// reference servers of the protocol, as npm packages whose versions
// package-lock.json pins. "make npm-servers" installs them into node_modules
// next to this file, with Node 20 or newer; "make test" does so by itself.
//
// [Command] says how to start one over stdio, [StartHTTP] starts
// server-everything behind a URL. A test that cannot have its server fails
// with the way to get it; it never passes by being skipped.
package npmservers
