package httpwire

import (
	"net/http"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lostPatterns are what servers say when they do not know a session, in place
// of the 404 that the specification asks for. Seen: "Bad Request: No valid
// session ID provided" (TypeScript examples, Python before 2025-12-31), "Bad
// Request: Server not initialized" (TypeScript, one transport a process),
// "Session not found", "Invalid or expired session ID"; on the transport of
// 2024-11-05 "No transport found for sessionId" and "Could not find session".
//
// "Mcp-Session-Id header is required" and "Missing session ID" are left out:
// these servers did not receive the id that was sent, and would not receive
// that of a new session either.
var lostPatterns = regexp.MustCompile(`(?i)\b(no valid|no such|no transport( found)? for|could not find|unknown|(invalid|unknown|expired) or \w+|invalid|expired) (mcp[ -]?)?session` +
	`|\bsession([ -]id)?( \S+)? (was |is )?(not found|(has )?(been )?(expired|terminated|closed)|unknown|invalid|does not exist|no longer)` +
	`|\bserver (is )?not initialized`)

// unknownSession are the whole messages by which servers that echo the id of
// the request say that they do not know its session.
var unknownSession = regexp.MustCompile(`(?i)^\s*(bad request: |not found: )?(no valid session id provided|server not initialized|(mcp )?session( id)? not found|` +
	`(invalid|unknown|expired|invalid or expired) (mcp )?session( id)?)[.!]?\s*$`)

// isSessionLost reports whether an answer means that the server does not know
// the session whose id the request carried.
func isSessionLost(status int, sessionID string, c call, body []byte) bool {
	if sessionID == "" {
		return false
	}
	m, err := parseMessage(body)
	isRPC := err == nil && m.err != nil
	if isRPC && m.id.IsValid() && m.id == c.id {
		// The server has looked at the very request, and a tool may have run and
		// failed with words about a session of its own. Some servers echo the id
		// all the same when they do not know the session.
		return (status == http.StatusNotFound || status == http.StatusBadRequest || status == http.StatusGone) &&
			unknownSession.MatchString(m.err.Message)
	}
	switch status {
	case http.StatusNotFound:
		return true
	case http.StatusBadRequest, http.StatusGone:
		if isRPC && (m.err.Code == jsonrpc.CodeMethodNotFound || m.err.Code == jsonrpc.CodeInvalidParams) {
			return false
		}
		return saysSessionLost(body)
	}
	return false
}

// saysSessionLost looks at what an error says, which is in the message if it
// is JSON-RPC.
func saysSessionLost(body []byte) bool {
	if m, err := parseMessage(body); err == nil && m.err != nil {
		body = []byte(m.err.Message)
	}
	return lostPatterns.Match(body[:min(len(body), 4<<10)])
}

// errorExcerpt returns what an error says, in short.
func (w *wire) errorExcerpt(body []byte) string {
	if m, err := parseMessage(body); err == nil && m.err != nil {
		return w.secrets.excerpt([]byte(m.err.Message))
	}
	return w.secrets.excerpt(body)
}

// hideIn takes what was sent out of the message of an error, and reports
// whether there was any. Data of the error is the program's, not the reader's.
func (w *wire) hideIn(m *message) (changed bool) {
	if m.err == nil {
		return false
	}
	shown := w.secrets.hide(m.err.Message)
	changed = shown != m.err.Message
	m.err.Message = shown
	return changed
}
