package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
)

var errFailure = errors.New("failure")

func request(hints *mcp.ToolAnnotations) *interceptors.Request {
	return &interceptors.Request{ServerName: "s", ToolName: "t", Tool: &mcp.Tool{Name: "t", Annotations: hints}}
}

var readOnly = &mcp.ToolAnnotations{ReadOnlyHint: true}

// outcome is what one call of the tool returns.
type outcome struct {
	res *mcp.CallToolResult
	err error
}

var (
	failed     = outcome{err: errFailure}
	toolFailed = outcome{res: &mcp.CallToolResult{IsError: true}}
	succeeded  = outcome{res: &mcp.CallToolResult{}}
)

// tool returns the outcomes one by one, the last for ever, and counts.
func tool(calls *int, outcomes ...outcome) interceptors.Handler {
	return func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		o := outcomes[min(*calls, len(outcomes)-1)]
		*calls++
		return o.res, o.err
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	refused := func(code int64) outcome {
		return outcome{err: fmt.Errorf("call: %w", &jsonrpc.Error{Code: code, Message: "no"})}
	}
	always := func(*interceptors.Request, *mcp.CallToolResult, error) bool { return true }
	tests := []struct {
		name     string
		opts     *retry.Options
		hints    *mcp.ToolAnnotations
		outcomes []outcome
		calls    int
		want     outcome
	}{
		{"success", nil, readOnly, []outcome{succeeded}, 1, succeeded},
		{"read-only", nil, readOnly, []outcome{failed, failed, succeeded}, 3, succeeded},
		{"idempotent", nil, &mcp.ToolAnnotations{IdempotentHint: true}, []outcome{failed, succeeded}, 2, succeeded},
		{"used up", nil, readOnly, []outcome{failed}, 3, failed},
		{"not known to be safe", nil, &mcp.ToolAnnotations{}, []outcome{failed, succeeded}, 1, failed},
		{"no annotations", nil, nil, []outcome{failed, succeeded}, 1, failed},
		{"tool error", nil, readOnly, []outcome{toolFailed, succeeded}, 1, toolFailed},
		{"error, then tool error", nil, readOnly, []outcome{failed, toolFailed, succeeded}, 2, toolFailed},
		{"invalid arguments", nil, readOnly, []outcome{refused(jsonrpc.CodeInvalidParams)}, 1, refused(jsonrpc.CodeInvalidParams)},
		{"unknown tool", nil, readOnly, []outcome{refused(jsonrpc.CodeMethodNotFound)}, 1, refused(jsonrpc.CodeMethodNotFound)},
		{"refused who asks", nil, readOnly, []outcome{{err: fmt.Errorf("call: %w", fs.ErrPermission)}}, 1, outcome{err: fs.ErrPermission}},
		{"cannot be sent", nil, readOnly, []outcome{{err: fmt.Errorf("call: %w", fs.ErrInvalid)}}, 1, outcome{err: fs.ErrInvalid}},
		{"trouble in the server", nil, readOnly, []outcome{refused(jsonrpc.CodeInternalError), succeeded}, 2, succeeded},

		{"more attempts", &retry.Options{Attempts: 5}, readOnly, []outcome{failed}, 5, failed},
		{"one attempt", &retry.Options{Attempts: 1}, readOnly, []outcome{failed}, 1, failed},
		{"fewer than one", &retry.Options{Attempts: -1}, readOnly, []outcome{failed}, 1, failed},
		{"asked for, error", &retry.Options{Retryable: always}, nil, []outcome{failed, succeeded}, 2, succeeded},
		{"asked for, tool error", &retry.Options{Retryable: always}, nil, []outcome{toolFailed, succeeded}, 2, succeeded},
		{"asked for, tool error to the end", &retry.Options{Retryable: always}, nil, []outcome{toolFailed}, 3, toolFailed},
		{"success is not asked about", &retry.Options{Retryable: always}, nil, []outcome{succeeded}, 1, succeeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls int
				handler := interceptors.Chain(tool(&calls, test.outcomes...), retry.New(test.opts))
				res, err := handler(t.Context(), request(test.hints))
				if calls != test.calls {
					t.Errorf("the tool was called %d times, want %d", calls, test.calls)
				}
				if res != test.want.res {
					t.Errorf("result is %v, want %v", res, test.want.res)
				}
				var want, got *jsonrpc.Error
				switch {
				case errors.As(test.want.err, &want):
					if !errors.As(err, &got) || got.Code != want.Code {
						t.Errorf("error is %v, want code %d", err, want.Code)
					}
				case !errors.Is(err, test.want.err):
					t.Errorf("error is %v, want %v", err, test.want.err)
				}
			})
		})
	}
}

func TestRetryableSeesTheOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []outcome
		retryable := func(req *interceptors.Request, res *mcp.CallToolResult, err error) bool {
			if req.ToolName != "t" {
				t.Errorf("tool is %q, want t", req.ToolName)
			}
			seen = append(seen, outcome{res, err})
			return err != nil
		}
		var calls int
		handler := interceptors.Chain(tool(&calls, failed, toolFailed), retry.New(&retry.Options{Retryable: retryable}))
		if res, err := handler(t.Context(), request(nil)); res != toolFailed.res || err != nil {
			t.Errorf("got %v, %v, want the tool error", res, err)
		}
		if len(seen) != 2 || seen[0] != failed || seen[1] != toolFailed {
			t.Errorf("asked about %v, want the error and the tool error", seen)
		}
	})
}

func TestRetryErrorCountsAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls int
		_, err := interceptors.Chain(tool(&calls, failed), retry.New(nil))(t.Context(), request(readOnly))
		if want := "3 attempts failed, the last with: failure"; err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
		_, err = interceptors.Chain(tool(&calls, failed), retry.New(nil))(t.Context(), request(nil))
		if err != errFailure {
			t.Errorf("error of a single attempt is %v, want it unchanged", err)
		}
	})
}

func TestRetryWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts *retry.Options
		want []time.Duration // before variation by half
	}{
		{"default", &retry.Options{Attempts: 4}, []time.Duration{500 * time.Millisecond, 750 * time.Millisecond, 1125 * time.Millisecond}},
		{"default bound", &retry.Options{Attempts: 4, InitialWait: time.Minute}, []time.Duration{30 * time.Second, 30 * time.Second, 30 * time.Second}},
		{
			"options", &retry.Options{Attempts: 4, InitialWait: 4 * time.Second, MaxWait: 5 * time.Second},
			[]time.Duration{4 * time.Second, 5 * time.Second, 5 * time.Second},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var times []time.Time
				failing := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
					times = append(times, time.Now())
					return nil, errFailure
				}
				if _, err := interceptors.Chain(failing, retry.New(test.opts))(t.Context(), request(readOnly)); !errors.Is(err, errFailure) {
					t.Fatalf("error is %v, want that of the tool", err)
				}
				if len(times) != len(test.want)+1 {
					t.Fatalf("the tool was called %d times, want %d", len(times), len(test.want)+1)
				}
				for i, want := range test.want {
					if got := times[i+1].Sub(times[i]); got < want/2 || got > want*3/2+time.Nanosecond {
						t.Errorf("wait %d is %v, want %v give or take half", i, got, want)
					}
				}
			})
		})
	}
}

func TestRetryEndsWithContext(t *testing.T) {
	t.Parallel()
	t.Run("ended during the call", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			calls := 0
			handler := interceptors.Chain(func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
				calls++
				cancel()
				return nil, errFailure
			}, retry.New(nil))
			mustFailOnce(ctx, t, &calls, handler, 0)
		})
	})
	t.Run("ends during the wait", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			var calls int
			handler := interceptors.Chain(tool(&calls, failed, succeeded), retry.New(&retry.Options{InitialWait: 10 * time.Second}))
			mustFailOnce(ctx, t, &calls, handler, time.Second)
		})
	})
	t.Run("would end during the wait", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var calls int
			handler := interceptors.Chain(tool(&calls, failed, succeeded), retry.New(&retry.Options{InitialWait: 10 * time.Second}))
			mustFailOnce(ctx, t, &calls, handler, 0)
		})
	})
}

// mustFailOnce checks that the handler calls the tool once and fails with its
// error after the given time.
func mustFailOnce(ctx context.Context, t *testing.T, calls *int, handler interceptors.Handler, after time.Duration) {
	t.Helper()
	start := time.Now()
	if _, err := handler(ctx, request(readOnly)); err != errFailure {
		t.Errorf("error is %v, want that of the tool", err)
	}
	if *calls != 1 {
		t.Errorf("the tool was called %d times, want 1", *calls)
	}
	if got := time.Since(start); got != after {
		t.Errorf("it took %v, want %v", got, after)
	}
}

func TestRetryConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		interceptor := retry.New(nil)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				var calls int
				res, err := interceptors.Chain(tool(&calls, failed, failed, succeeded), interceptor)(t.Context(), request(readOnly))
				if res != succeeded.res || err != nil || calls != 3 {
					t.Errorf("got %v, %v after %d calls, want success after 3", res, err, calls)
				}
			})
		}
		wg.Wait()
	})
}
