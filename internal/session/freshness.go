package session

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Freshness is what the pages of a list say about how long they hold, as of
// protocol version 2026-07-28 (SEP-2549).
type Freshness struct {
	// TTL is how long those hold that say so. 0 means that none does.
	TTL time.Duration
	// Unsaid says that one of them does not.
	Unsaid bool
	// Private says that one of them is only for who has asked.
	Private bool
	// Unknown says that they are not known to be the server's.
	Unknown bool
}

// note notes what a page says.
func (f *Freshness) note(c mcp.Cacheable) {
	const most = 365 * 24 * time.Hour // or milliseconds overflow
	ttl := time.Duration(max(0, min(c.TTLMs, int(most/time.Millisecond)))) * time.Millisecond
	switch {
	case ttl == 0:
		f.Unsaid = true
	case f.TTL == 0 || ttl < f.TTL:
		f.TTL = ttl
	}
	f.Private = f.Private || c.CacheScope == "private"
}
