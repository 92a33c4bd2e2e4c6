package interceptors_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// text returns a result of one text.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// recorder is a handler that keeps the requests it was given.
type recorder struct {
	mu       sync.Mutex
	requests []*interceptors.Request
}

func (r *recorder) call(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req.Clone())
	return text("called"), nil
}

// pass hands the call on.
func pass(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	return next(ctx, req)
}

func TestChainOrder(t *testing.T) {
	t.Parallel()
	var order []string
	named := func(name string) interceptors.Interceptor {
		return func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			order = append(order, name+" in")
			defer func() { order = append(order, name+" out") }()
			return next(ctx, req)
		}
	}
	handler := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		order = append(order, "tool")
		return text("done"), nil
	}
	tests := []struct {
		name         string
		interceptors []interceptors.Interceptor
		want         []string
	}{
		{"none", nil, []string{"tool"}},
		{"only nil", []interceptors.Interceptor{nil, nil}, []string{"tool"}},
		{"one", []interceptors.Interceptor{named("a")}, []string{"a in", "tool", "a out"}},
		{
			"several, nil among them", []interceptors.Interceptor{named("a"), nil, named("b"), named("c")},
			[]string{"a in", "b in", "c in", "tool", "c out", "b out", "a out"},
		},
	}
	for _, test := range tests {
		order = nil
		res, err := interceptors.Chain(handler, test.interceptors...)(t.Context(), &interceptors.Request{})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(text("done").Content, res.Content); diff != "" {
			t.Errorf("%s: result (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(test.want, order); diff != "" {
			t.Errorf("%s: order (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestChainCopiesTheSlice(t *testing.T) {
	t.Parallel()
	list := []interceptors.Interceptor{pass}
	handler := interceptors.Chain((&recorder{}).call, list...)
	list[0] = func(context.Context, *interceptors.Request, interceptors.Handler) (*mcp.CallToolResult, error) {
		return nil, errors.New("this was put into the slice afterwards")
	}
	if _, err := handler(t.Context(), &interceptors.Request{}); err != nil {
		t.Error(err)
	}
}

func TestChainNumberOfCalls(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		var tool recorder
		repeat := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			for range n {
				if _, err := next(ctx, req); err != nil {
					return nil, err
				}
			}
			return text("mine"), nil
		}
		res, err := interceptors.Chain(tool.call, pass, repeat, pass)(t.Context(), &interceptors.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text("mine").Content, res.Content); diff != "" {
			t.Errorf("%d calls: result (-want +got):\n%s", n, diff)
		}
		if got := len(tool.requests); got != n {
			t.Errorf("the tool was called %d times, want %d", got, n)
		}
	}
}

func TestChainChangedRequest(t *testing.T) {
	t.Parallel()
	var tool recorder
	change := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.ToolName = "other"
		req.Arguments["added"] = 1
		delete(req.Arguments, "removed")
		req.Headers.Set("X-User", "me")
		req.Meta["trace"] = "t"
		return next(ctx, req)
	}
	var seen *interceptors.Request
	look := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		seen = req.Clone()
		return next(ctx, req)
	}
	original := &interceptors.Request{ServerName: "s", ToolName: "t", Arguments: map[string]any{"removed": true}}
	if _, err := interceptors.Chain(tool.call, change, look)(t.Context(), original); err != nil {
		t.Fatal(err)
	}
	want := &interceptors.Request{
		ServerName: "s",
		ToolName:   "other",
		Arguments:  map[string]any{"added": 1},
		Headers:    http.Header{"X-User": {"me"}},
		Meta:       mcp.Meta{"trace": "t"},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("next interceptor's request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*interceptors.Request{want}, tool.requests); diff != "" {
		t.Errorf("tool's requests (-want +got):\n%s", diff)
	}
	unchanged := &interceptors.Request{ServerName: "s", ToolName: "t", Arguments: map[string]any{"removed": true}}
	if diff := cmp.Diff(unchanged, original); diff != "" {
		t.Errorf("caller's request (-want +got):\n%s", diff)
	}
}

func TestChainIsolatesAttempts(t *testing.T) {
	t.Parallel()
	var tool recorder
	twice := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		if _, err := next(ctx, req); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
	grow := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		list := req.Arguments["list"].([]any)
		list[0] = fmt.Sprint(list[0], "+")
		req.Headers.Add("X-Attempt", "1")
		return next(ctx, req)
	}
	req := &interceptors.Request{Arguments: map[string]any{"list": []any{"a"}}}
	if _, err := interceptors.Chain(tool.call, twice, grow)(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	once := &interceptors.Request{
		Arguments: map[string]any{"list": []any{"a+"}},
		Headers:   http.Header{"X-Attempt": {"1"}},
		Meta:      mcp.Meta{},
	}
	if diff := cmp.Diff([]*interceptors.Request{once, once}, tool.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestChainErrors(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	failing := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return nil, failure }
	wrap := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		res, err := next(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("wrapped: %w", err)
		}
		return res, nil
	}
	recovering := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		if _, err := next(ctx, req); err != nil {
			return text("instead"), nil
		}
		return nil, errors.New("the error did not arrive")
	}

	if _, err := interceptors.Chain(failing, pass, wrap)(t.Context(), &interceptors.Request{}); !errors.Is(err, failure) || err.Error() != "wrapped: failure" {
		t.Errorf("error is %v, want that of the tool, wrapped", err)
	}
	res, err := interceptors.Chain(failing, recovering, wrap)(t.Context(), &interceptors.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text("instead").Content, res.Content); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestChainKeepsTheContractOfHandlers(t *testing.T) {
	t.Parallel()
	failure := errors.New("failure")
	returning := func(res *mcp.CallToolResult, err error) interceptors.Interceptor {
		return func(context.Context, *interceptors.Request, interceptors.Handler) (*mcp.CallToolResult, error) {
			return res, err
		}
	}
	req := &interceptors.Request{ServerName: "s", ToolName: "t"}

	res, err := interceptors.Chain((&recorder{}).call, pass, returning(nil, nil))(t.Context(), req)
	if res != nil || err == nil || !strings.Contains(err.Error(), `tool "t" of server "s"`) {
		t.Errorf("neither: result is %v and error %v, want an error that names the tool", res, err)
	}
	res, err = interceptors.Chain((&recorder{}).call, pass, returning(text("x"), failure))(t.Context(), req)
	if res != nil || !errors.Is(err, failure) {
		t.Errorf("both: result is %v and error %v, want the error alone", res, err)
	}
}

type ctxKey struct{}

func TestChainContext(t *testing.T) {
	t.Parallel()
	add := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		return next(context.WithValue(ctx, ctxKey{}, "value"), req)
	}
	tool := func(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(ctx.Value(ctxKey{}))), nil
	}
	res, err := interceptors.Chain(tool, add, pass)(t.Context(), &interceptors.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text("value").Content, res.Content); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestChainConcurrent(t *testing.T) {
	t.Parallel()
	const callers, attempts = 16, 4
	var tool recorder
	fanOut := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		var wg sync.WaitGroup
		for range attempts {
			wg.Go(func() {
				if _, err := next(ctx, req); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return text("all"), nil
	}
	change := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		deep := req.Arguments["deep"].(map[string]any)
		deep["count"] = deep["count"].(int) + 1
		req.Headers.Add("X-Seen", "1")
		return next(ctx, req)
	}
	handler := interceptors.Chain(tool.call, fanOut, change)
	req := &interceptors.Request{Arguments: map[string]any{"deep": map[string]any{"count": 0}}}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			if _, err := handler(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, want := len(tool.requests), callers*attempts; got != want {
		t.Fatalf("the tool was called %d times, want %d", got, want)
	}
	for _, got := range tool.requests {
		if count, seen := got.Arguments["deep"].(map[string]any)["count"], len(got.Headers["X-Seen"]); count != 1 || seen != 1 {
			t.Fatalf("count is %v and X-Seen has %d values, want 1 of each: an attempt saw another's changes", count, seen)
		}
	}
}
