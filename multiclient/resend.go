package multiclient

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// maxSends bounds how often one call is sent when sessions are lost under it.
const maxSends = 3

// maxReaches bounds how often a server is tried to be reached for one call or
// other request on a session that exists.
const maxReaches = 5

// resends counts what has been tried for one request.
type resends struct{ sent, reached int }

// made returns how many attempts were made, now that there is to be another.
func (r *resends) made() int { return r.sent + r.reached }

// again reports whether a request that failed is to be made once more: because
// its session was lost or its answer broke off, and it was surely not executed or
// does no harm twice; or because the server has said when to ask again, and it
// does no harm twice; or because the server could not be reached, for which it
// waits then, since the server may be about to start again.
func (r *resends) again(ctx context.Context, s *server, outcome *calls.Outcome, lost, harmless bool, err error) bool {
	if ctx.Err() != nil || outcome.Refused() || errors.As(err, new(httpwire.InvalidHeader)) {
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

// repeatable says why calling the tool twice is the same as calling it once, by the
// word of the caller or the server, or returns "".
func (s *server) repeatable(req *interceptors.Request) string {
	if req.Repeatable {
		return "an interceptor has set Repeatable"
	}
	annotations := req.Annotations()
	if s.member != nil {
		// The tool may have been listed for another identity.
		own := interceptors.Request{ToolName: req.ToolName, Tool: s.catalogue.lookup(req.ToolName)}
		annotations = own.Annotations()
	}
	switch {
	case s.opts.DistrustAnnotations:
	case annotations.ReadOnlyHint:
		return "the tool says readOnlyHint"
	case annotations.IdempotentHint:
		return "the tool says idempotentHint"
	}
	return ""
}

// tellRepeated has the log say that a call is made again, and why it may be: nobody
// else can tell.
func (s *server) tellRepeated(ctx context.Context, req *interceptors.Request, tries *resends, outcome *calls.Outcome, failure *Error) {
	level, because := slog.LevelWarn, s.repeatable(req)
	if outcome.NotExecuted() {
		level, because = slog.LevelInfo, "the server has not run it"
	}
	s.opts.Logger.Log(ctx, level, "a tool call is sent again",
		"server", s.name, "tool", req.ToolName, "attempt", tries.made()+1, "because", because, "error", failure)
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
