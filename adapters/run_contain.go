package adapters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// grace is how long what was cancelled may take to end before it is left behind.
const grace = time.Second

// contain calls f and returns what f returns, or an error if f panics, ends its
// goroutine, or does not return within grace of the end of ctx.
func contain[T any](ctx context.Context, logger *slog.Logger, who string, f func() T) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: fmt.Errorf("%s ended its goroutine (runtime.Goexit)", who)}
		defer func() {
			if v := recover(); v != nil {
				o.err = panicked(who, v)
				if logger != nil {
					logger.Error(who+" panicked", "value", v, "stack", string(debug.Stack()))
				}
			}
			done <- o
		}()
		o.value = f()
		o.err = nil
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		var none T
		return none, fmt.Errorf("%s goes on, %v after its context has ended: %w", who, grace, ctx.Err())
	}
}

// panicked returns the error for a panic, which wraps the value if that is an
// error.
func panicked(who string, v any) error {
	if err, ok := v.(error); ok {
		return fmt.Errorf("%s panicked: %w", who, err)
	}
	return errors.New(who + " panicked: " + prefix(fmt.Sprint(v), maxCause))
}
