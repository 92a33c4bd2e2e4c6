package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// ever calls the same tool again and again.
type ever struct{ llms.Model }

func (ever) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return calls(call("", "t", "{}")), nil
}

func TestRunStepLimit(t *testing.T) {
	called := 0
	tool := funcTool{"t", func(context.Context, string) (string, error) { called++; return "again", nil }}
	for given, want := range map[int]int{0: 20, 1: 1, 3: 3} {
		called = 0
		got, err := adapters.Run(t.Context(), ever{}, ask("?"), []tools.Tool{tool}, &adapters.RunOptions{MaxSteps: given})
		if !errors.Is(err, adapters.ErrRunLimit) || got.Steps != want || called != want-1 {
			t.Errorf("%d: %d steps, %d calls, %v", given, got.Steps, called, err)
		}
		if texts := responses(got.Messages); len(texts) != want {
			t.Errorf("%d: responses %q", given, texts)
		}
	}
	_, err := adapters.Run(t.Context(), ever{}, ask("?"), []tools.Tool{tool}, &adapters.RunOptions{
		MaxSteps: -1, Stop: func(step *adapters.RunStep) bool { return step.Number == 50 },
	})
	if err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// waits is a tool that waits for the end of its context.
func waits(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestRunTimeLimits(t *testing.T) {
	tool := mcpTool(t, "t", adapters.ToolOptions{}, waits)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		got, err := adapters.Run(t.Context(), script(calls(call("A", "t", "{}"))), ask("?"), []tools.Tool{tool}, &adapters.RunOptions{Timeout: time.Minute})
		if !errors.Is(err, adapters.ErrRunLimit) || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if texts := responses(got.Messages); len(texts) != 1 || texts[0] == "" {
			t.Errorf("responses %q", texts)
		}

		began = time.Now()
		opts := &adapters.RunOptions{ToolTimeout: time.Second, TransportErrors: adapters.ErrorsAsText}
		got, err = adapters.Run(t.Context(), script(calls(call("A", "t", "{}")), says("too slow")), ask("?"), []tools.Tool{tool}, opts)
		if err != nil || got.Answer != "too slow" || time.Since(began) != time.Second {
			t.Errorf("after %v: %v, %v", time.Since(began), got, err)
		}
		_, err = adapters.Run(t.Context(), script(calls(call("A", "t", "{}"))), ask("?"), []tools.Tool{tool}, &adapters.RunOptions{ToolTimeout: time.Second})
		if !errors.Is(err, adapters.ErrCallFailed) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// deaf is a model or tool that does not look at its context.
type deaf struct {
	llms.Model
	release chan struct{}
}

func (d deaf) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	<-d.release
	return says("late"), nil
}

// The end of the context ends a run at once if all listen to it, and after a
// second if not.
func TestRunCanceled(t *testing.T) {
	cause := errors.New("the user has left")
	for name, tt := range map[string]struct {
		model func(release chan struct{}) llms.Model
		deaf  bool // the tool
		want  time.Duration
	}{
		"tool listens":  {func(chan struct{}) llms.Model { return script(calls(call("A", "t", "{}"), call("B", "t", "{}"))) }, false, 0},
		"tool is deaf":  {func(chan struct{}) llms.Model { return script(calls(call("A", "t", "{}"), call("B", "t", "{}"))) }, true, time.Second},
		"model is deaf": {func(release chan struct{}) llms.Model { return deaf{release: release} }, false, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				tool := mcpTool(t, "t", adapters.ToolOptions{}, func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
					if tt.deaf {
						<-release
					}
					return waits(ctx, req)
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					time.Sleep(time.Minute)
					cancel(cause)
				}()
				began := time.Now()
				got, err := adapters.Run(ctx, tt.model(release), ask("?"), []tools.Tool{tool}, nil)
				if took := time.Since(began) - time.Minute; took != tt.want {
					t.Errorf("it took %v", took)
				}
				if !errors.Is(err, adapters.ErrRunCanceled) || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
					t.Errorf("got %v", err)
				}
				if texts := responses(got.Messages); name != "model is deaf" && len(texts) != 2 {
					t.Errorf("responses %q", texts)
				}
				close(release)
			})
		})
	}
}

// Wherever the loop over the events is broken off, nothing is left running.
func TestRunBrokenOff(t *testing.T) {
	for at := range 7 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
				tool := mcpTool(t, "t", adapters.ToolOptions{}, waits)
				quick := funcTool{"q", func(context.Context, string) (string, error) { return "q", nil }}
				model := script(calls(call("Q", "q", "{}")), calls(call("A", "t", "{}"), call("B", "t", "{}")))
				seen := 0
				for range adapters.RunEvents(t.Context(), model, ask("?"), []tools.Tool{tool, quick}, &adapters.RunOptions{MaxConcurrent: 2}) {
					if seen++; seen > at && seen > 0 || seen == 6 {
						break
					}
				}
				synctest.Wait()
			})
		})
	}
}

// So it is when the body of the loop panics.
func TestRunBodyPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := mcpTool(t, "t", adapters.ToolOptions{}, waits)
		defer func() {
			if v := recover(); v != "body" {
				t.Errorf("got %v", v)
			}
		}()
		for event := range adapters.RunEvents(t.Context(), script(calls(call("A", "t", "{}"), call("B", "t", "{}"))), ask("?"), []tools.Tool{tool}, nil) {
			if event.Call != nil && event.Call.ID == "B" {
				panic("body")
			}
		}
	})
}
