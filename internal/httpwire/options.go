package httpwire

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of the error responses that a [Transport] makes up for a call. Whether
// the server ran the call is told by [Hooks.Responded], if it can be known.
const (
	// CodeTransport: the answer was not JSON-RPC, or too large.
	CodeTransport = -32050
	// CodeBroken: the answer did not arrive whole.
	CodeBroken = -32051
)

// DefaultMaxMessage is the limit for the size of a message in bytes, when none
// is given.
const DefaultMaxMessage = 64 << 20

// Hooks connect a [Transport] with its owner. All may be nil. They are called
// from several goroutines at a time and must not block.
//
// Where they are given a context, it is that of the request that the SDK made,
// ended with the session. For what belongs to the session as a whole, which is
// the standalone GET, subscriptions/listen and the stream of the 2024-11-05
// transport, it is [Options.Context] instead: the SDK opens these with the values of whatever
// call happened to connect, whose headers and name must not stick to them.
type Hooks struct {
	// Headers returns headers for a request, which replace those that are on
	// it. Exempt are headers that the protocol or its encoding owns:
	// Content-*, Accept, Accept-Encoding, Last-Event-ID and Mcp-Session-Id,
	// -Protocol-Version, -Method and -Name are ignored, and Mcp-Param-* do not
	// replace. An error fails the request before anything is sent. The result
	// is not changed. Unlike the others it may block, until its context ends.
	Headers func(ctx context.Context) (http.Header, error)

	// Inbound is told each request and notification of the server, in the
	// order of the stream it arrives on, before any later message of that
	// stream is handed on. It may keep req, may change its Params, and reports
	// whether it goes on to the SDK. What follows the response to the call
	// that a stream was opened for is not told: the SDK does not read it.
	Inbound func(ctx context.Context, req *jsonrpc.Request) (forward bool)

	// Result is told the result of each response to a call, with the call's
	// method, and may replace it with what the SDK can decode: it returns false
	// where it does not. It does not change or keep what it is told.
	Result func(method string, result []byte) (other []byte, changed bool)

	// Take is told the result of a call of a tool first, with the context of its
	// request, and reports whether it takes it, so that Result is not told. It
	// does not change or keep what it is told. The SDK is given the error Taken
	// in its place, without data and required with Take: as a response or, where
	// no stream is needed any more, as the reason why there is none.
	Take  func(ctx context.Context, result []byte) bool
	Taken *jsonrpc.Error

	// Dropped is told of a message that was lost: too large, or none. The error
	// is safe to print.
	Dropped func(err error)

	// Responded is told how each POST was answered, before the SDK sees the
	// answer; and so is the GET of the 2024-11-05 transport. Redirects are
	// told hop by hop.
	Responded func(ctx context.Context, a Answer)

	// Lost is told when the server is found to have forgotten the session on
	// something else than a POST: when a stream is opened again. It may be
	// told more than once.
	Lost func(err error)

	// Reopened is told when a stream of the session is open again after an
	// interruption. Notifications may have been missed.
	Reopened func()

	// Unheard is told when the time for the answer to server/discover is over,
	// which may only have been too short.
	Unheard func()
}

// An Answer tells how far a request got.
type Answer struct {
	// Method is the JSON-RPC method of the request, or empty if it is a
	// response or could not be read.
	Method string
	// Status is the status of the HTTP response, or 0 if there was none.
	Status int
	// Err says why there was no HTTP response.
	Err error
	// Sent reports whether the request may have reached the server. It is
	// false only if no complete request header was written to any connection.
	Sent bool
	// SessionLost reports whether the answer means that the server no longer
	// knows the session, so that it did not look at the request.
	SessionLost bool
	// Redirected reports whether the answer refers the request, as it is, to
	// another URL (307, 308), so that the server did not look at it.
	Redirected bool
	// RetryAfter is how long the server asks to be left alone, by the header
	// Retry-After (RFC 9110 section 10.2.3) of an answer that is an error, up to an
	// hour. 0 means that it does not.
	RetryAfter time.Duration
	// Excerpt is the beginning of an answer that is an HTTP error or not of a
	// type that the protocol allows: one line of printable characters, at most
	// 200 bytes. It is text of the server, and not to be trusted.
	Excerpt string
}

// Options of a [Transport]. The zero value is usable.
type Options struct {
	// Base makes the requests. Nil means an [http.Transport] of its own, with
	// proxies from the environment.
	Base http.RoundTripper

	Hooks Hooks

	// Context is that of the session: when it ends, all requests and streams
	// do, whatever context the SDK made them with; so does the DELETE that
	// tells the server, if the SDK's session is not closed before. Nil means
	// until [Transport.Close].
	Context context.Context

	// Endpoint is the URL that headers are meant for: they are added to
	// requests of its scheme, host and port. Nil means that of the first
	// request.
	Endpoint *url.URL

	// Secrets are values that are taken out of what servers say, besides what
	// is sent.
	Secrets []string

	// DiscoverTimeout bounds the wait for the answer to server/discover, after
	// which the SDK is told that it failed and tries initialize. 0 means no
	// bound.
	DiscoverTimeout time.Duration

	// MaxMessage limits the size of a message in bytes. Larger ones fail the
	// call they answer, and are dropped from streams of the session. 0 means
	// [DefaultMaxMessage].
	MaxMessage int

	// SSE says that the transport is that of 2024-11-05
	// ([mcp.SSEClientTransport]), whose GET is the one stream of the session:
	// it is then neither replaced nor opened again, and the context that it
	// was made with ends it only until its first event.
	SSE bool

	// Logger is told what was dropped and repaired. Nil means silence.
	Logger *slog.Logger
}
