package retry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Options of [New]. The zero value is useful.
type Options struct {
	// Attempts is how often the tool is called at most, the first time
	// included. 0 means 3; 1 and less never retry.
	Attempts int

	// Retryable decides whether a call that failed is made again, instead of
	// [Safe]. It is asked about errors (res is nil) and about results whose
	// IsError is set (err is nil); it must not change req or res, and must be
	// safe for concurrent use.
	Retryable func(req *interceptors.Request, res *mcp.CallToolResult, err error) bool

	// InitialWait is the time before the second attempt. It grows by half
	// with each further one, up to MaxWait, and varies at random by half in
	// either direction, so that clients do not retry in step. 0 or less means 500 ms.
	InitialWait time.Duration

	// MaxWait bounds the time before an attempt, apart from the variation, and
	// how long a server that is left alone is waited for: see [New]. 0 or less means 30 s.
	MaxWait time.Duration
}

// Safe is the default of [Options.Retryable]. It holds for an error of a tool
// whose annotations set IdempotentHint or ReadOnlyHint, unless the server
// refused the call as invalid, or who makes it ([fs.ErrPermission]: the client has it
// for the statuses 401 and 403 of HTTP), which it would do again, or the call could
// never be sent ([fs.ErrInvalid]).
func Safe(req *interceptors.Request, _ *mcp.CallToolResult, err error) bool {
	hints := req.Annotations()
	return err != nil && (hints.IdempotentHint || hints.ReadOnlyHint) && !invalid(err) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrInvalid)
}

// invalid reports whether the server found fault with the call itself.
func invalid(err error) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams:
		return true
	}
	return false
}

// New returns an interceptor that retries. Nil options are the zero value.
//
// When the attempts are used up the outcome of the last one is returned, an
// error saying how many there were. Nothing is retried once the context of the
// call has ended, or when it would end before the next attempt; the outcome is
// then that of the attempt before.
//
// While the client leaves a server alone ([multiclient.Error].RetryAt), calls fail
// at once, so that attempts would be used up for nothing. The next one is made when
// that is over, or never, if it lasts longer than MaxWait or the context. The same is
// done for any error that has, or wraps one that has, a method RetryAt() time.Time.
//
// [multiclient.Error]: https://pkg.go.dev/github.com/langchaingo-mcp/mcpadapters/multiclient#Error
func New(opts *Options) interceptors.Interceptor {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.Retryable == nil {
		o.Retryable = Safe
	}
	if o.InitialWait <= 0 {
		o.InitialWait = 500 * time.Millisecond
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 30 * time.Second
	}
	return o.intercept
}

func (o Options) intercept(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = min(o.InitialWait, o.MaxWait)
	waits.MaxInterval = o.MaxWait
	for attempt := 1; ; attempt++ {
		res, err := next(ctx, req)
		failed := err != nil || res.IsError
		if !failed || attempt >= o.Attempts || ctx.Err() != nil || !o.Retryable(req, res, err) || !o.wait(ctx, waits.NextBackOff(), err) {
			if err != nil && attempt > 1 {
				err = fmt.Errorf("%d attempts failed, the last with: %w", attempt, err)
			}
			return res, err
		}
	}
}

// wait waits for the next attempt after one that failed with err, and reports
// whether it is to be made.
func (o Options) wait(ctx context.Context, d time.Duration, err error) bool {
	var alone interface{ RetryAt() time.Time }
	if errors.As(err, &alone) {
		until := time.Until(alone.RetryAt())
		if until > o.MaxWait {
			return false
		}
		d = max(d, until)
	}
	return sleep(ctx, d)
}

// sleep reports whether the context lasted for the duration. It does not wait
// for what the context's deadline rules out.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
