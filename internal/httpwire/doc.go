// Package httpwire stands between the SDK's HTTP transports and the network.
//
// A [Transport] is an [http.RoundTripper]. Given to the SDK in an HTTP client,
//
//	wire := httpwire.New(httpwire.Options{Context: sessionCtx, Hooks: hooks})
//	defer wire.Close()
//	transport := &mcp.StreamableClientTransport{
//		Endpoint:     url,
//		HTTPClient:   wire.Client(nil),
//		MaxEventSize: -1, // the limit is Options.MaxMessage
//	}
//
// it does what the SDK leaves to its user, and keeps from the SDK what would
// end the session for a fault that concerns one call, or none:
//
//   - it adds headers to each request, for the endpoint only;
//   - it shows each message of the server to [Hooks.Inbound], with the context
//     of the call that it came for;
//   - it keeps the streams that belong to the session (the standalone GET, and
//     subscriptions/listen of 2026-07-28) open for as long as the session
//     lasts, whatever the server does to them;
//   - it resumes the stream of a call by Last-Event-ID;
//   - it turns every other end of a call's stream, and every answer to a call
//     that is not JSON-RPC, into an error response to that call;
//   - it makes a lost session recognisable, whatever the server says;
//   - it tells how far each POST got ([Hooks.Responded]);
//   - it bounds the size of what is read, and ends everything with the
//     session's context.
//
// Server-sent events are read as the HTML specification says (the SDK ends the
// session at a line without a colon) and handed to the SDK in the form it
// reads best. Data that is not JSON-RPC is dropped.
package httpwire
