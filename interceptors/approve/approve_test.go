package approve_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/approve"
)

func yes(context.Context, *interceptors.Request) (approve.Decision, error) {
	return approve.Decision{Approved: true}, nil
}

func no(reason string) approve.Ask {
	return func(context.Context, *interceptors.Request) (approve.Decision, error) {
		return approve.Decision{Reason: reason}, nil
	}
}

// done is the result of the tool in these tests.
func done() *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}
}

func denial(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func request(hints *mcp.ToolAnnotations) *interceptors.Request {
	return &interceptors.Request{ServerName: "s", ToolName: "t", Tool: &mcp.Tool{Name: "t", Annotations: hints}}
}

func TestApprove(t *testing.T) {
	t.Parallel()
	failure := errors.New("no terminal")
	failing := func(context.Context, *interceptors.Request) (approve.Decision, error) {
		return approve.Decision{Approved: true}, failure // an error is no approval
	}
	tests := []struct {
		name    string
		ask     approve.Ask
		opts    *approve.Options
		want    *mcp.CallToolResult
		wantErr string
		is      error
	}{
		{"approved", yes, nil, done(), "", nil},
		{"denied", no(""), nil, denial(`The call of tool "t" was denied and has not been made.`), "", nil},
		{
			"denied with a reason", no("Archive it instead."), nil,
			denial(`The call of tool "t" was denied and has not been made. Reason: Archive it instead.`), "", nil,
		},
		{"denied, as an error", no(""), &approve.Options{FailDenied: true}, nil, `tool "t" of server "s": the call was denied`, approve.ErrDenied},
		{
			"denied with a reason, as an error", no("too late"), &approve.Options{FailDenied: true}, nil,
			`tool "t" of server "s": the call was denied: too late`, approve.ErrDenied,
		},
		{"not asked", failing, &approve.Options{FailDenied: true}, nil, `approval of tool "t" of server "s": no terminal`, failure},
		{"concurrent", yes, &approve.Options{Concurrent: true}, done(), "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			tool := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
				calls++
				return done(), nil
			}
			res, err := interceptors.Chain(tool, approve.New(test.ask, test.opts))(t.Context(), request(nil))
			switch {
			case test.wantErr == "" && err != nil:
				t.Fatal(err)
			case test.wantErr != "" && (err == nil || err.Error() != test.wantErr || !errors.Is(err, test.is)):
				t.Fatalf("error is %v, want %s", err, test.wantErr)
			}
			if diff := cmp.Diff(test.want, res, cmp.AllowUnexported(mcp.CallToolResult{})); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			want := 0
			if test.want != nil && !test.want.IsError {
				want = 1
			}
			if calls != want {
				t.Errorf("the tool was called %d times, want %d", calls, want)
			}
		})
	}
}

func TestApproveNeeded(t *testing.T) {
	t.Parallel()
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	lying := request(readOnly)
	lying.ToolName = "other" // an interceptor before has changed it
	trusting := &approve.Options{Needed: func(req *interceptors.Request) bool { return !req.Annotations().ReadOnlyHint }}
	tests := []struct {
		name string
		opts *approve.Options
		req  *interceptors.Request
		want bool
	}{
		{"writes", nil, request(&mcp.ToolAnnotations{IdempotentHint: true}), true},
		{"says that it reads", nil, request(readOnly), true},
		{"says nothing", nil, request(nil), true},
		{"not listed", nil, &interceptors.Request{ToolName: "t"}, true},
		{"trusted", trusting, request(readOnly), false},
		{"trusted, hints of another tool", trusting, lying, true},
		{"never", &approve.Options{Needed: func(*interceptors.Request) bool { return false }}, request(nil), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := false
			ask := func(_ context.Context, req *interceptors.Request) (approve.Decision, error) {
				asked = true
				return approve.Decision{Approved: true}, nil
			}
			tool := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return done(), nil }
			if _, err := interceptors.Chain(tool, approve.New(ask, test.opts))(t.Context(), test.req); err != nil {
				t.Fatal(err)
			}
			if asked != test.want {
				t.Errorf("asked: %v, want %v", asked, test.want)
			}
		})
	}
}

func TestApproveChangedRequest(t *testing.T) {
	t.Parallel()
	ask := func(_ context.Context, req *interceptors.Request) (approve.Decision, error) {
		req.Arguments["path"] = "/tmp/harmless"
		return approve.Decision{Approved: true}, nil
	}
	var got map[string]any
	tool := func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		got = req.Arguments
		return done(), nil
	}
	req := request(nil)
	req.Arguments = map[string]any{"path": "/"}
	if _, err := interceptors.Chain(tool, approve.New(ask, nil))(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"path": "/tmp/harmless"}, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestApproveNilAsk(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("New did not panic")
		}
	}()
	approve.New(nil, nil)
}

func TestApproveConcurrentQuestions(t *testing.T) {
	t.Parallel()
	const callers = 8
	for name, test := range map[string]struct {
		opts *approve.Options
		want int32 // questions open at once, at most
	}{
		"in turns": {nil, 1},
		"at once":  {&approve.Options{Concurrent: true}, callers},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var open, calls atomic.Int32
				answer := make(chan struct{})
				ask := func(context.Context, *interceptors.Request) (approve.Decision, error) {
					open.Add(1)
					defer open.Add(-1)
					<-answer
					return approve.Decision{Approved: true}, nil
				}
				tool := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
					calls.Add(1)
					return done(), nil
				}
				handler := interceptors.Chain(tool, approve.New(ask, test.opts))
				var wg sync.WaitGroup
				for range callers {
					wg.Go(func() {
						if _, err := handler(t.Context(), request(nil)); err != nil {
							t.Error(err)
						}
					})
				}
				for i := range callers {
					synctest.Wait()
					if got, want := open.Load(), min(test.want, int32(callers-i)); got != want {
						t.Errorf("%d questions are open, want %d", got, want)
					}
					answer <- struct{}{}
				}
				wg.Wait()
				if got := calls.Load(); got != callers {
					t.Errorf("the tool was called %d times, want %d", got, callers)
				}
			})
		})
	}
}

func TestApproveEndsWithContext(t *testing.T) {
	t.Parallel()
	never := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		t.Error("the tool was called")
		return done(), nil
	}
	gone := errors.New("the user left")
	check := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, gone) {
			t.Errorf("error is %v, want %v", err, gone)
		}
	}
	t.Run("before the question", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(gone)
		ask := func(context.Context, *interceptors.Request) (approve.Decision, error) {
			t.Error("asked although the call was cancelled")
			return approve.Decision{}, nil
		}
		handler := interceptors.Chain(never, approve.New(ask, nil))
		for range 20 { // since the turn is free as well
			_, err := handler(ctx, request(nil))
			check(t, err)
		}
	})
	t.Run("during the question", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		ask := func(context.Context, *interceptors.Request) (approve.Decision, error) {
			cancel(gone)
			return approve.Decision{Approved: true}, nil
		}
		_, err := interceptors.Chain(never, approve.New(ask, nil))(ctx, request(nil))
		check(t, err)
	})
	t.Run("while waiting for its turn", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			answer := make(chan struct{})
			ask := func(context.Context, *interceptors.Request) (approve.Decision, error) {
				<-answer
				return approve.Decision{}, nil
			}
			handler := interceptors.Chain(never, approve.New(ask, nil))
			first := make(chan error, 1)
			go func() {
				_, err := handler(t.Context(), request(nil))
				first <- err
			}()
			synctest.Wait()
			ctx, cancel := context.WithCancelCause(t.Context())
			second := make(chan error, 1)
			go func() {
				_, err := handler(ctx, request(nil))
				second <- err
			}()
			synctest.Wait()
			cancel(gone)
			check(t, <-second)
			close(answer)
			if err := <-first; err != nil {
				t.Errorf("the other call failed: %v", err)
			}
		})
	})
}
