package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
)

// leftAlone is an error that says when to try again.
type leftAlone time.Time

func (leftAlone) Error() string        { return "left alone" }
func (e leftAlone) RetryAt() time.Time { return time.Time(e) }

// While a server is left alone, attempts are of no use.
func TestRetryWaitsUntilTheServerIsTriedAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		opts     *retry.Options
		deadline time.Duration // of the call; 0 means none
		alone    time.Duration // that the server is left alone
		calls    int
		took     time.Duration // at least
		fails    bool
	}{
		{"within the wait", nil, 0, 20 * time.Second, 2, 20 * time.Second, false},
		{"as long as the wait", nil, 0, 30 * time.Second, 2, 30 * time.Second, false},
		{"longer than the wait", nil, 0, 31 * time.Second, 1, 0, true},
		{"a wait that was set", &retry.Options{MaxWait: time.Minute}, 0, 45 * time.Second, 2, 45 * time.Second, false},
		{"after the deadline", nil, 15 * time.Second, 20 * time.Second, 1, 0, true},
		{"before the deadline", nil, 25 * time.Second, 20 * time.Second, 2, 20 * time.Second, false},
		{"shorter than the own wait", &retry.Options{InitialWait: 10 * time.Second}, 0, time.Millisecond, 2, 5 * time.Second, false},
		{"over already", nil, 0, -time.Second, 2, 250 * time.Millisecond, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				begun, calls := time.Now(), 0
				alone := leftAlone(begun.Add(test.alone))
				handler := interceptors.Chain(func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
					if calls++; calls == 1 {
						return nil, fmt.Errorf("another interceptor: %w", alone)
					}
					return succeeded.res, nil
				}, retry.New(test.opts))
				_, err := handler(ctx, request(readOnly))
				if calls != test.calls || (err != nil) != test.fails || test.fails && !errors.Is(err, alone) {
					t.Errorf("%d calls, %v; want %d, failing %t", calls, err, test.calls, test.fails)
				}
				if took := time.Since(begun); took < test.took || test.took == 0 && took > 0 {
					t.Errorf("it took %v, want %v", took, test.took)
				}
			})
		})
	}
}
