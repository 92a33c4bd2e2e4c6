package callbacks

import (
	"encoding/json"
	"fmt"
)

// CallbackContext says which server an event came from and which tool call it
// belongs to.
//
// What the protocol itself ties to a call is exact everywhere: progress, by its
// token, and questions that come inside results (since 2026-07-28). Log
// messages, and questions up to 2025-11-25, are exact on HTTP when they come on
// the stream of their call. Elsewhere (stdio, SSE, in memory: one stream for
// all calls) they are taken to belong to the one call in flight; if there are
// several, their tools are listed in Candidates.
//
// What no client can see there: that something was sent for a call that had
// already been answered, by a handler that outlives its answer. It belongs to
// no call if none is in flight when it comes, but is taken for the other's if
// exactly one is. Where that matters, give each call a session of its own
// (config.SessionPerCall) or use HTTP; config.SessionSerialized does not help.
type CallbackContext struct {
	// ServerName is the name of the connection, as in config.Connections.
	// It is always set and always exact.
	ServerName string

	// Identity is whose session the event came on, where each identity has its
	// own (config.SessionPerIdentity); otherwise it is empty. Like ServerName it
	// is exact for every event that comes from a server or is about a session.
	// String leaves it out: it may be personal.
	Identity string

	// ToolName is the name that the server gives the tool, without any prefix
	// and before any sanitising. It is empty when the event belongs to no tool
	// call, or when the wire does not say which of several calls it belongs
	// to: see Candidates.
	ToolName string

	// CallID is the same for all events of one call and different for any
	// other call of this process, and when a call is sent again. It is empty when
	// no single call is known to own the event.
	CallID string

	// Repeats is how often the client has tried the call before, which is 0 as a
	// rule: a call is made again if that does no harm when its connection is lost,
	// and what it reports begins anew then. What an interceptor repeats is another
	// call. It is 0 too when no single call is known to own the event.
	Repeats int

	// Candidates lists the tools, sorted and without repetition, that the
	// event may belong to when ToolName is empty because several calls were
	// possible. It is nil otherwise. The callee must not change it.
	Candidates []string

	// Dropped counts the log messages of the same call that were discarded
	// right before this one, because they came faster than the callback took
	// them. It is 0 for every other kind of event: progress is coalesced
	// rather than dropped, and requests are never dropped.
	Dropped int

	// RequestedSchema is, for OnElicitation in form mode, the requested schema
	// as the server wrote it, with its order of fields, which the map in
	// [mcp.ElicitParams] has lost: package elicitation lists the fields by it.
	// It holds the same as that map. It is nil if no schema was sent, and for
	// every other kind of event.
	RequestedSchema json.RawMessage
}

// String returns "server/tool", "server" when no tool is known, or
// "server/(a|b)" when several tools are possible. Names are quoted where they
// hold characters that do not print, since they come from a server.
func (c CallbackContext) String() string {
	switch {
	case c.ToolName != "":
		return printable(c.ServerName) + "/" + printable(c.ToolName)
	case len(c.Candidates) > 0:
		s := printable(c.ServerName) + "/("
		for i, name := range c.Candidates {
			if i > 0 {
				s += "|"
			}
			s += printable(name)
		}
		return s + ")"
	default:
		return printable(c.ServerName)
	}
}

func printable(s string) string {
	if q := fmt.Sprintf("%q", s); q != `"`+s+`"` {
		return q
	}
	return s
}
