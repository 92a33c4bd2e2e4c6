package session

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Freshness is what the pages of a list say about how long they hold, as of
// protocol version 2026-07-28 (SEP-2549).
type Freshness struct {
	// TTL is how long all of them hold. 0 means that they do not say so.
	TTL time.Duration
	// Private says that one of them is only for who has asked.
	Private bool
}

// note notes what a page says, the first or another.
func (f *Freshness) note(c mcp.Cacheable, first bool) {
	const most = 365 * 24 * time.Hour // or milliseconds overflow
	ttl := time.Duration(max(0, min(c.TTLMs, int(most/time.Millisecond)))) * time.Millisecond
	if first || ttl < f.TTL {
		f.TTL = ttl
	}
	f.Private = f.Private || c.CacheScope == "private"
}
