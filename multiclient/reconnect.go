package multiclient

import (
	"cmp"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// Reconnect says how a server is tried again that could not be reached, or whose
// session was lost before it answered anything. The zero value is useful.
//
// A server is only tried when it is needed: by a request, or because its session
// was lost and something waits for what it announces, which is a subscription to a
// resource or a callback for changes of lists. In that case it is tried in the
// background, at this pace and about once in each CoolDown in the end, until there
// is a session, the subscriptions are taken back, or the server or the client is
// closed. A request that comes too early waits for the delay; it waits for further
// attempts only if the server has worked before and may be back soon, because it
// was not reached at all or answered with a status such as 503, and no longer than
// the connect timeout. When too many attempts in a row have failed, requests fail at
// once, with the last failure, until the server has been left alone for a while;
// [Error].RetryAt says until when, in the error of the last attempt as well. Then
// one of them tries it, for whose outcome the others wait that need a session. The
// first answer to a request makes everything forgotten.
type Reconnect struct {
	// Attempts is how many attempts in a row may fail before the server is left
	// alone for CoolDown. Afterwards one is enough. 0 means 5; a negative value
	// means that it is never left alone.
	Attempts int

	// Delay is that before the second attempt. It doubles with each failure, up
	// to MaxDelay, and varies by a half so that programs do not act in step. 0
	// means 200 ms and 5 s.
	Delay, MaxDelay time.Duration

	// CoolDown is how long the server is left alone. 0 means 30 s.
	CoolDown time.Duration
}

func (r Reconnect) retry() session.Retry {
	delay := cmp.Or(r.Delay, 200*time.Millisecond)
	return session.Retry{
		Attempts: cmp.Or(r.Attempts, 5),
		Delay:    delay,
		MaxDelay: max(delay, cmp.Or(r.MaxDelay, 5*time.Second)),
		CoolDown: cmp.Or(r.CoolDown, 30*time.Second),
	}
}
