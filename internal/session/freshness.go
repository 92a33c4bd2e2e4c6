package session

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Freshness is what the results of requests say about how long they hold, as
// of protocol version 2026-07-28 (SEP-2549): the strictest if there are several.
type Freshness struct {
	mu      sync.Mutex
	ttl     time.Duration
	private bool
	noted   bool
}

type freshnessKey struct{}

// WithFreshness returns a context whose requests note what their results say, and
// keep the SDK from caching them: it hands out again what it has handed out
// before, whoever asks, and has no way around it.
func WithFreshness(ctx context.Context) (context.Context, *Freshness) {
	f := new(Freshness)
	return context.WithValue(ctx, freshnessKey{}, f), f
}

// TTL returns how long the results hold. 0 means that they do not say so.
func (f *Freshness) TTL() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ttl
}

// Private reports whether a result is only for who has asked.
func (f *Freshness) Private() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.private
}

func (f *Freshness) note(c *mcp.Cacheable) {
	f.mu.Lock()
	defer f.mu.Unlock()
	const most = 365 * 24 * time.Hour // or milliseconds overflow
	ttl := time.Duration(max(0, min(c.TTLMs, int(most/time.Millisecond)))) * time.Millisecond
	if !f.noted || ttl < f.ttl {
		f.ttl = ttl
	}
	f.noted = true
	f.private = f.private || c.CacheScope == "private"
	c.TTLMs = 0
}

// freshness is the middleware that notes it.
func freshness(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		f, ok := ctx.Value(freshnessKey{}).(*Freshness)
		if !ok || err != nil {
			return res, err
		}
		switch res := res.(type) {
		case *mcp.ListToolsResult:
			f.note(&res.Cacheable)
		case *mcp.ListPromptsResult:
			f.note(&res.Cacheable)
		case *mcp.ListResourcesResult:
			f.note(&res.Cacheable)
		case *mcp.ListResourceTemplatesResult:
			f.note(&res.Cacheable)
		case *mcp.ReadResourceResult:
			f.note(&res.Cacheable)
		}
		return res, err
	}
}
