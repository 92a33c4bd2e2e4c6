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

// isSessionLost reports whether an answer means that the server does not know
// the session whose id the request carried.
func isSessionLost(status int, sessionID string, c call, body []byte) bool {
	if sessionID == "" {
		return false
	}
	m, err := parseMessage(body)
	isRPC := err == nil && m.err != nil
	switch status {
	case http.StatusNotFound:
		// "Method not found" is a 404 since 2026-07-28, and says nothing about
		// the session if it is the answer to the very request.
		return !(isRPC && m.err.Code == jsonrpc.CodeMethodNotFound && m.id.IsValid() && m.id == c.id)
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
func errorExcerpt(body []byte) string {
	if m, err := parseMessage(body); err == nil && m.err != nil {
		return excerpt([]byte(m.err.Message))
	}
	return excerpt(body)
}
