// Package calls knows which calls are in flight on a session, which of them
// each message from the server belongs to, and brings the messages to the
// callbacks: in order, one at a time for each call, before the call returns.
//
// A [Tracker] belongs to one session. It learns of calls from the SDK's
// sending middleware and of messages from the wire:
//
//	tracker := calls.New(calls.Options{Server: "math", Callbacks: cb})
//	client := mcp.NewClient(impl, tracker.ClientOptions())
//	client.AddSendingMiddleware(tracker.Sending())
//	client.AddReceivingMiddleware(tracker.Receiving())
//	// and, where messages are read: forward := tracker.Inbound(ctx, req)
//
// Messages are taken at the wire and not from the SDK's handlers, because only
// there their order relative to the response of the call is known (the SDK
// runs its notification handlers on a queue that the response overtakes) and,
// on HTTP, the stream that carried them.
package calls
