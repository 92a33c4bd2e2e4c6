package multiclient

import (
	"context"
	"net/http"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// maxSends bounds how often one call is sent when sessions are lost under it.
const maxSends = 3

// maxReaches bounds how often a server is tried to be reached for one call or
// other request on a session that exists.
const maxReaches = 5

// resends counts what has been tried for one request.
type resends struct{ sent, reached int }

// again reports whether a request that failed is to be made once more: because
// its session was lost or its answer broke off, and it was surely not executed or
// does no harm twice; or because the server has said when to ask again, and it
// does no harm twice; or because the server could not be reached, for which it
// waits then, since the server may be about to start again.
func (r *resends) again(ctx context.Context, s *server, outcome *calls.Outcome, lost, harmless bool, err error) bool {
	if ctx.Err() != nil || outcome.Refused() {
		return false
	}
	brokeOff := undelivered(err) && !badAnswer(err, outcome) && !outcome.Unreached() && outcome.Status() < http.StatusMultipleChoices
	switch {
	case !lost && harmless && busy(outcome):
		r.reached++
		wait := s.manager.Busy(outcome.RetryAfter())
		return r.reached < maxReaches && session.Enough(ctx, wait) && s.manager.Pause(ctx, wait)
	case lost && outcome.NotExecuted(), (lost || brokeOff) && harmless:
		r.sent++
		return r.sent < maxSends
	case lost || !outcome.Unreached():
		return false
	}
	r.reached++
	wait, openErr := s.manager.Unreached(err)
	return openErr == nil && r.reached < maxReaches && session.Enough(ctx, wait) && s.manager.Pause(ctx, wait)
}

// busy reports whether the server said when to ask again.
func busy(outcome *calls.Outcome) bool {
	status := outcome.Status()
	return outcome.RetryAfter() > 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable)
}

// repeatable reports whether calling the tool twice is the same as calling it
// once, as the caller or the server says.
func (s *server) repeatable(req *interceptors.Request) bool {
	if req.Repeatable {
		return true
	}
	annotations := req.Annotations()
	if s.member != nil {
		// The tool may have been listed for another identity.
		own := interceptors.Request{ToolName: req.ToolName, Tool: s.catalogue.lookup(req.ToolName)}
		annotations = own.Annotations()
	}
	return !s.opts.DistrustAnnotations && (annotations.ReadOnlyHint || annotations.IdempotentHint)
}

// took notes how long a request that was answered has taken.
func (s *server) took(d time.Duration) {
	if s.member != nil {
		s.member.pool.server.took(d)
	}
	s.latency.last.Store(int64(d))
	const weight = 8
	for {
		old := s.latency.smooth.Load()
		smooth := old + (int64(d)-old)/weight
		if old == 0 {
			smooth = int64(d)
		}
		if s.latency.smooth.CompareAndSwap(old, smooth) {
			return
		}
	}
}
