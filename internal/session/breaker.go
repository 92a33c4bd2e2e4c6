package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Retry says how a server is tried again that could not be reached.
type Retry struct {
	// Attempts is how many attempts in a row may fail before the server is left
	// alone for CoolDown. 0 or less means that there is no limit.
	Attempts int
	// Delay is that before the second attempt, about; it doubles up to MaxDelay.
	// Both must be positive.
	Delay, MaxDelay time.Duration
	// CoolDown is how long the server is left alone. It must be positive.
	CoolDown time.Duration
}

// asked returns a delay that is as long as the server asks for, but no longer than
// CoolDown for that.
func (r Retry) asked(delay, after time.Duration) time.Duration {
	return max(delay, min(after, r.CoolDown))
}

// An OpenError says that a server is left alone for a while, after too many
// attempts in a row that failed.
type OpenError struct {
	// Until is when it is tried again.
	Until time.Time
	// Attempts is the number of those that failed.
	Attempts int
	// Err is the failure of the last.
	Err error
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("not tried again for %v (failures in a row: %d, the last: %v)",
		max(0, time.Until(e.Until)).Round(time.Millisecond), e.Attempts, e.Err)
}

func (e *OpenError) Unwrap() error { return e.Err }

// RetryAt returns Until. Package interceptors/retry, which knows no other package,
// asks for it.
func (e *OpenError) RetryAt() time.Time { return e.Until }

// A breaker paces the attempts to open sessions with one server. It is safe for
// concurrent use.
type breaker struct {
	retry Retry

	failing atomic.Bool   // something has failed
	trying  chan struct{} // holds who tries a server that was left alone

	mu       sync.Mutex
	delays   *backoff.ExponentialBackOff
	failures int
	until    time.Time // of the next attempt
	err      error     // the last failure
}

func newBreaker(retry Retry) *breaker {
	b := &breaker{retry: retry, trying: make(chan struct{}, 1), delays: backoff.NewExponentialBackOff()}
	b.delays.InitialInterval, b.delays.MaxInterval, b.delays.Multiplier = retry.Delay, retry.MaxDelay, 2
	b.delays.Reset()
	return b
}

// enter waits until an attempt may be made, and returns what is to be called when
// it has been counted. A server that was left alone is tried by one only, for whose
// outcome the others wait.
func (b *breaker) enter(ctx context.Context) (leave func(), err error) {
	wait, err := b.next()
	if err != nil {
		return nil, err
	}
	if !Sleep(ctx, wait) {
		return nil, context.Cause(ctx)
	}
	if !b.leftAlone() {
		return func() {}, nil
	}
	select {
	case b.trying <- struct{}{}:
		leave = func() { <-b.trying }
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if _, err := b.next(); err != nil {
		leave()
		return nil, err
	}
	if !b.leftAlone() { // it works, for everybody
		leave()
		return func() {}, nil
	}
	return leave, nil
}

// next returns how long to wait before the next attempt, or an [*OpenError] if
// there is to be none now.
func (b *breaker) next() (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := max(0, time.Until(b.until))
	if wait > 0 && b.open() {
		return 0, &OpenError{Until: b.until, Attempts: b.failures, Err: b.err}
	}
	return wait, nil
}

// opened returns the failure of an attempt as an [*OpenError] if there is to be no
// other now.
func (b *breaker) opened(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Until(b.until) <= 0 || !b.open() {
		return err
	}
	return &OpenError{Until: b.until, Attempts: b.failures, Err: err}
}

// leftAlone reports whether the server was left alone, and has not worked since.
func (b *breaker) leftAlone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open()
}

// open reports whether too many attempts have failed. b.mu is held.
func (b *breaker) open() bool { return b.retry.Attempts > 0 && b.failures >= b.retry.Attempts }

// failed counts an attempt that failed. Several that fail at the same time are
// one.
func (b *breaker) failed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Until(b.until) > 0 {
		return
	}
	b.failing.Store(true)
	b.failures++
	b.err = err
	delay := b.delays.NextBackOff()
	if b.open() {
		delay = b.retry.CoolDown
	}
	if f := (*Failure)(nil); errors.As(err, &f) {
		delay = b.retry.asked(delay, f.RetryAfter)
	}
	b.until = time.Now().Add(delay)
}

// worked forgets what failed.
func (b *breaker) worked() {
	if !b.failing.Swap(false) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.until, b.err = 0, time.Time{}, nil
	b.delays.Reset()
}

// lastErr returns what failed last, or nil if something has worked since.
func (b *breaker) lastErr() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// retryAt returns when the next attempt may be made, or the zero time for now.
func (b *breaker) retryAt() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Until(b.until) <= 0 {
		return time.Time{}
	}
	return b.until
}

// personal reports whether a failure is only that of who has asked.
func personal(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Personal
}

// refused reports whether the server wants other credentials, or who has asked has
// none.
func refused(err error) bool {
	var f *Failure
	return errors.As(err, &f) && (f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden)
}

// passing reports whether a failure of a server that has worked before may be
// over soon, such as when it is being restarted.
func passing(err error) bool {
	var f *Failure
	if !errors.As(err, &f) || f.Phase == PhaseSpawn {
		return false
	}
	switch f.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return f.Status == 0 || f.Status >= 500
}
