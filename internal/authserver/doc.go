// Package authserver is an OAuth 2.1 authorization server for tests, and the
// guard of an MCP server that wants its tokens. Unlike mocks it enforces what
// such servers enforce: PKCE, redirect URLs, one use of each code, rotation of
// refresh tokens with the end of the whole sign-in when one is used twice,
// scopes and expiry.
//
//	as := authserver.New(t)
//	url := as.Protect(t, handler)   // an MCP endpoint that wants tokens of as
//	as.Expire()                     // all access tokens
//	as.Count("authorize")           // how often users were asked
//
// Everything secret that it makes up begins with [Marker].
package authserver
