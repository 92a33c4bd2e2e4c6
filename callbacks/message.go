package callbacks

import "encoding/json"

// A Message is something that came from a server, or from the transport in
// between: exactly one of Method and Err is set.
type Message struct {
	// Method of a notification, such as "notifications/progress".
	Method string
	// Params of the notification, as they were sent, or nil. They must not be
	// changed.
	Params json.RawMessage
	// Err says what went wrong with the transport: the connection was lost, as
	// [ConnectionChange].Err says it too, or something on it was no message.
	Err error
}

// A ConnectionState says what a connection is doing.
type ConnectionState string

const (
	// Connecting: a session is being opened.
	Connecting ConnectionState = "connecting"
	// Connected: there is a session.
	Connected ConnectionState = "connected"
	// Disconnected: the attempt has failed, or the session was lost or ended.
	// The next use opens another.
	Disconnected ConnectionState = "disconnected"
	// Closed: the client is closed, the server was removed from it or replaced, or
	// the identity whose session it was does not use it any more.
	Closed ConnectionState = "closed"
)

// A ConnectionChange says that a connection has entered a state.
type ConnectionChange struct {
	State ConnectionState
	// Generation is 1 for the first session with the server, and so on. It
	// counts attempts that fail too.
	Generation int
	// Err says why, if State is Disconnected. It holds nothing secret. From a
	// client of package multiclient it is a *multiclient.Error, which errors.As
	// finds, of the same content as LastError in its Status, but for when the server
	// is tried again: the kind, the phase ("session" if there was one, which was
	// lost), the HTTP status and what the server's side said.
	Err error
}
