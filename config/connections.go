package config

import "time"

// Connections maps the name of each server to how it is reached. Any non-empty
// string is a name.
type Connections map[string]Connection

// A Connection says how one server is reached: [Stdio], [StreamableHTTP],
// [SSE], [InMemory] or [Custom], each by value or by pointer. No other type
// implements it; what these do not cover, [Custom] does.
type Connection interface {
	// Transport names the transport: "stdio", "streamable_http", "sse",
	// "in_memory" or "custom".
	Transport() string

	// Common returns the settings that every transport has.
	Common() Settings

	// String describes the connection without anything secret: no values of
	// variables or headers, no user information, query or fragment of a URL.
	String() string

	// faults appends what is wrong with the connection.
	faults(add func(key, problem string))
}

// Settings are what every transport has. The zero value is useful.
type Settings struct {
	// ConnectTimeout bounds spawning or dialling, and the handshake of the
	// protocol. The time in which a user signs in does not count. 0 means the
	// client's default.
	ConnectTimeout time.Duration

	// ListTimeout bounds the listing of tools, prompts, resources or resource
	// templates of this server, all pages together, without the time in which a
	// user signs in. 0 means the client's default.
	ListTimeout time.Duration

	// CallTimeout bounds one tool call, prompt or resource read, the user's
	// answers to elicitations included, but not the time in which a user signs
	// in. 0 means the client's default; a negative value means no bound but the
	// caller's context.
	CallTimeout time.Duration

	// CloseTimeout bounds the closing of the session. 0 means the client's
	// default.
	CloseTimeout time.Duration

	// ProtocolVersion pins the version of the protocol to ask for, such as
	// "2025-11-25". When empty the newest that both sides know is found out:
	// first server/discover (2026-07-28), then initialize.
	ProtocolVersion string

	// SessionPolicy says how calls share the session.
	SessionPolicy SessionPolicy

	// MaxInFlight is how many tool calls are made at the same time on the
	// server. 0 means the client's option; a negative value means no limit.
	// With [SessionSerialized] it is 1 whatever this says.
	MaxInFlight int

	// Tools says which tools of the server are used. Those that it leaves out
	// are neither listed nor called. The keys of files are "includeTools" and
	// "excludeTools".
	Tools ToolFilter

	// Required makes methods of the client that ask several servers return
	// nothing, as its option RequireAll does, if this one fails.
	Required bool
}

// Common returns s itself. It is promoted to every connection type.
func (s Settings) Common() Settings { return s }

// A SessionPolicy says how requests share a server's session.
type SessionPolicy string

const (
	// SessionShared is the default: one session, any number of calls at once.
	SessionShared SessionPolicy = "shared"

	// SessionSerialized is one session and one tool call at a time. Events
	// that the wire does not tie to a call (log messages and elicitations over
	// stdio, for one) then belong to the one that runs. A call that a callback
	// of a running call makes does not wait for it.
	SessionSerialized SessionPolicy = "serialized"

	// SessionPerCall gives each tool call a session of its own, and over stdio
	// a process of its own. Every event is then exact, and the server keeps no
	// state from call to call. Lists, prompts and resources use a shared one.
	SessionPerCall SessionPolicy = "per-call"

	// SessionPerIdentity gives each identity, such as each user of a service, a
	// session of its own, and over stdio a process of its own, which all of its
	// calls share. Whose a call is, the client's option Identities says, without
	// which there is no such connection.
	SessionPerIdentity SessionPolicy = "per-identity"
)
