package config

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// StreamableHTTP is a server behind a URL, reached by the streamable HTTP
// transport.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http.
type StreamableHTTP struct {
	// URL of the MCP endpoint, http or https. It is required.
	URL string

	HTTP
	Settings

	// OAuthHandler authorises requests, when set.
	OAuthHandler auth.OAuthHandler

	// OAuth is what a file says about signing in, for the program that makes
	// the OAuthHandler. It has no effect by itself.
	OAuth OAuth
}

// Transport returns "streamable_http".
func (StreamableHTTP) Transport() string { return "streamable_http" }

// SSE is a server that speaks the HTTP+SSE transport of protocol version
// 2024-11-05, which later versions replaced by [StreamableHTTP].
type SSE struct {
	// URL of the event stream, http or https. It is required.
	URL string

	HTTP
	Settings
}

// Transport returns "sse".
func (SSE) Transport() string { return "sse" }

// HTTP is what the transports over HTTP have in common. The zero value is
// useful.
type HTTP struct {
	// Headers are sent with every request, but for those that the protocol or the
	// encoding of messages owns, which are ignored: Content-*, Accept,
	// Accept-Encoding, Transfer-Encoding, Connection, Last-Event-Id,
	// Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method and Mcp-Name.
	Headers http.Header

	// HeaderSource, when set, is called for every HTTP request with its
	// context, which holds the values of the context of the call that the
	// request belongs to; for a request that belongs to no call (connecting,
	// the standalone event stream, closing) they are those of the context of
	// the caller that caused the session to be opened. What it returns
	// replaces headers of the same name in Headers. An error fails the
	// request. It must be safe for concurrent use and must not change the
	// header it returned before.
	HeaderSource func(ctx context.Context) (http.Header, error)

	// Client sends the requests: for TLS settings, proxies, or middleware as
	// its Transport. Its Timeout is not used, since it would cut event
	// streams. Nil means a client of the library's own, with idle connections
	// for many calls at once. A client given here is never closed or changed.
	Client *http.Client

	// MaxMessageSize bounds one message from the server, in bytes. 0 means
	// 64 MiB.
	MaxMessageSize int

	secrets, credentials []string // values of variables, which String does not show
}
