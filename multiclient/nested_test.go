package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What a callback fails with says nothing of the session that it was called for,
// which others use: nothing is lost, and the user is not asked again.
func TestErrorsOfCallbacksLeaveTheSession(t *testing.T) {
	causes := []error{
		io.EOF, io.ErrClosedPipe, mcp.ErrConnectionClosed, mcp.ErrSessionMissing, // of a terminal, of another session
		&jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "of another server"}, &jsonrpc.Error{Code: -32005, Message: "of another server"},
	}
	for _, panics := range []bool{false, true} {
		onEachWire(t, func(t *testing.T, w wire) {
			if w.process() || !panics && w.version != stateless { // else the server is told
				return
			}
			s := testserver.New("one")
			harmless := &mcp.ToolAnnotations{IdempotentHint: true}
			s.AddTool(&mcp.Tool{Name: "ask", Annotations: harmless, InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				params := &mcp.ElicitParams{Mode: "form", Message: "Well?", RequestedSchema: map[string]any{"type": "object"}}
				if w.version == stateless {
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"question": params}}, nil
				}
				_, err := req.Session.Elicit(ctx, params)
				return nil, err
			})
			var cause error
			asked := 0
			c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: callbacks.Callbacks{
				OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked++
					if panics {
						panic(cause)
					}
					return nil, fmt.Errorf("asking: %w", cause)
				},
			}})
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := call(t, c, "one", "session", nil)
			for _, cause = range causes {
				asked = 0
				want := multiclient.ErrFailed
				if panics {
					want = multiclient.ErrCallbackPanic
				}
				_, err := c.CallTool(t.Context(), "one", "ask", nil)
				if !errors.Is(err, want) || !errors.Is(err, cause) || asked != 1 {
					t.Errorf("%v: asked %d times, and then: %v", cause, asked, err)
				}
			}
			if st := c.Status()[0]; st.Generation != 1 || w.name != "http/2026-07-28" && call(t, c, "one", "session", nil) != before {
				t.Errorf("the session was replaced: %+v", st)
			}
		})
	}
}

// The error of a call is about that call, also when it fails by the error of
// another, whose kind would say what is not true of it.
func TestErrorsOfOtherServersAreCauses(t *testing.T) {
	onEachStateless(t, func(t *testing.T, w wire) {
		var c *multiclient.MultiServerClient
		c = newClient(t, config.Connections{
			"one": w.connect(t, testserver.New("one"), config.Settings{}),
			"two": config.Stdio{Command: "/nonexistent/program"},
		}, &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				_, err := c.CallTool(ctx, "two", "other", nil)
				return nil, err
			},
		}})
		_, err := c.CallTool(t.Context(), "one", "ask_0", map[string]any{"id": "x"})
		checkNested(t, err, "ask_0", multiclient.ErrFailed, multiclient.ErrUnavailable)
	})
	t.Run("cause of a context", func(t *testing.T) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server}}, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-s.Blocked
			cancel(&multiclient.Error{Kind: multiclient.ErrUnavailable, Server: "two"}) // as errgroup does
		}()
		_, err := c.CallTool(ctx, "one", "block", nil)
		checkNested(t, err, "block", multiclient.ErrFailed, multiclient.ErrUnavailable)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("it is not the caller's doing: %v", err)
		}
	})
	t.Run("header source", func(t *testing.T) {
		source := func(context.Context) (http.Header, error) {
			return nil, fmt.Errorf("token: %w", &multiclient.Error{Kind: multiclient.ErrLost, Server: "two"})
		}
		c := newClient(t, config.Connections{"one": config.StreamableHTTP{
			URL: testserver.New("one").HTTP(t, false), HTTP: config.HTTP{HeaderSource: source},
		}}, nil)
		_, err := c.CallTool(t.Context(), "one", "count", nil)
		checkNested(t, err, "count", multiclient.ErrUnavailable, multiclient.ErrLost)
	})
}

// checkNested checks an error of a tool of "one" by that of another server.
func checkNested(t *testing.T, err error, tool string, kind, inside multiclient.ErrorKind) {
	t.Helper()
	var e *multiclient.Error
	if !errors.As(err, &e) || e.Server != "one" || e.Tool != tool || e.Kind != kind || errors.Is(err, inside) {
		t.Errorf("wrong error: %v", err)
	}
	if e != nil && errors.As(e.Err, &e) {
		t.Errorf("the cause passes for the error: %v", e)
	}
}
