package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A visitor visits every URL, as action says.
type visitor struct {
	journal
	action string
	meta   mcp.Meta
	asked  func(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ElicitParams)
}

func (v *visitor) callbacks(t testing.TB) callbacks.Callbacks {
	return callbacks.Callbacks{
		URLElicitation: true,
		OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			p := req.Params
			u, err := url.Parse(p.URL)
			if err != nil || p.Mode != "url" || u.Host != "visit.example" || cc.CallID == "" {
				t.Errorf("%v asked for a visit of %q, mode %q", cc, p.URL, p.Mode)
			}
			v.add("%v: %s, %s", cc, p.Message, p.ElicitationID)
			if v.asked != nil {
				v.asked(ctx, cc, p)
			}
			return &mcp.ElicitResult{Action: v.action, Meta: v.meta}, nil
		},
		OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
			v.add("%v: completed, %s", cc, p.ElicitationID)
		},
	}
}

func TestURLsThatHaveToBeVisitedFirst(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		// One client for all, whose user changes.
		var v *visitor
		user := func(u *visitor) *visitor { v = u; return u }
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{
			Callbacks: callbacks.Callbacks{
				URLElicitation: true,
				OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return v.callbacks(t).OnElicitation(ctx, cc, req)
				},
				OnElicitationComplete: func(ctx context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
					v.callbacks(t).OnElicitationComplete(ctx, cc, p)
				},
			},
		})
		authorized := func(got, id string) {
			t.Helper()
			if !strings.HasPrefix(got, "authorized "+id+", run ") {
				t.Errorf("got %q", got)
			}
		}
		t.Run("the user says that they are visited", func(t *testing.T) {
			v := user(&visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}})
			if got := call(t, c, "one", "authorize", map[string]any{"id": "a", "urls": 3}); got != "authorized a, run 1" {
				t.Errorf("got %q", got)
			}
			var want []string
			for i := 1; i <= 3; i++ {
				want = append(want, fmt.Sprintf("one/authorize: authorize a, a/%d", i))
			}
			if diff := cmp.Diff(want, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
			// It is authorized now, and runs once for each call.
			if got := call(t, c, "one", "authorize", map[string]any{"id": "a", "urls": 3}); got != "authorized a, run 2" || len(v.list()) != 3 {
				t.Errorf("got %q after %q", got, v.list())
			}
		})
		t.Run("the server says so while the user is asked", func(t *testing.T) {
			v := user(&visitor{action: "accept"})
			v.asked = func(ctx context.Context, _ callbacks.CallbackContext, p *mcp.ElicitParams) {
				if _, err := c.CallTool(ctx, "one", "complete", map[string]any{"id": p.ElicitationID}); err != nil {
					t.Error(err)
				}
			}
			authorized(call(t, c, "one", "authorize", map[string]any{"id": "b", "urls": 2}), "b")
			want := []string{
				"one/authorize: authorize b, b/1", "one/authorize: completed, b/1",
				"one/authorize: authorize b, b/2", "one/authorize: completed, b/2",
			}
			if diff := cmp.Diff(want, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
		})
		t.Run("the server says so later", func(t *testing.T) {
			asked := make(chan string, 2)
			v := user(&visitor{action: "accept"})
			v.asked = func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ElicitParams) { asked <- p.ElicitationID }
			done := make(chan string, 1)
			go func() {
				res, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "c"})
				if err != nil {
					t.Error(err)
					done <- ""
					return
				}
				done <- textOf(res)
			}()
			call(t, c, "one", "complete", map[string]any{"id": receive(t, asked, "question")})
			authorized(receive(t, done, "end of the call"), "c")
			if diff := cmp.Diff([]string{"one/authorize: authorize c, c/1", "one/authorize: completed, c/1"}, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
		})
		t.Run("the server says so before it asks", func(t *testing.T) {
			v := user(&visitor{action: "accept"})
			authorized(call(t, c, "one", "authorize", map[string]any{"id": "d", "early": true}), "d")
			eventually(t, func() bool { return len(v.list()) == 2 })
		})
		t.Run("the user does not want to", func(t *testing.T) {
			for _, action := range []string{"decline", "cancel"} {
				v := user(&visitor{action: action})
				_, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": action, "urls": 2})
				var refused *jsonrpc.Error
				if !errors.As(err, &refused) || refused.Code != mcp.CodeURLElicitationRequired || errors.Is(err, multiclient.ErrRefused) || !strings.Contains(err.Error(), action) {
					t.Errorf("%s gave %v", action, err)
				}
				if n := len(v.list()); n != 1 {
					t.Errorf("the user was asked %d times", n)
				}
			}
		})
		t.Run("again and again", func(t *testing.T) {
			v := user(&visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}})
			authorized(call(t, c, "one", "authorize", map[string]any{"id": "e", "again": 3}), "e")
			_, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "f", "again": 4})
			if !errors.Is(err, multiclient.ErrRefused) {
				t.Errorf("got %v", err)
			}
			if n := len(v.list()); n != 6 {
				t.Errorf("the user was asked %d times", n)
			}
		})
	})
}

func TestURLsThatNobodyIsAskedToVisit(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{
			"none": w.connect(t, s, config.Settings{}), "forms": w.connect(t, s, config.Settings{}), "flag": w.connect(t, s, config.Settings{}),
		}, &multiclient.Options{ServerCallbacks: map[string]callbacks.Callbacks{"forms": answering(t), "flag": {URLElicitation: true}}})
		for _, name := range []string{"none", "forms", "flag"} {
			_, err := c.CallTool(t.Context(), name, "authorize", map[string]any{"id": name})
			var refused *jsonrpc.Error
			if !errors.Is(err, multiclient.ErrRefused) || !errors.As(err, &refused) || refused.Code != mcp.CodeURLElicitationRequired || !strings.Contains(string(refused.Data), "visit.example") ||
				!strings.Contains(err.Error(), map[string]string{"none": "OnElicitation", "forms": "URLElicitation", "flag": "OnElicitation"}[name]+" is not set") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}

func TestURLModeOfARequest(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		v := &visitor{}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
		var want []string
		for _, v.action = range []string{"accept", "decline", "cancel"} {
			if got := call(t, c, "one", "work_2", map[string]any{"id": v.action, "ask": []string{"url"}}); got != fmt.Sprintf(`{"url":%q}`, v.action) {
				t.Errorf("%s gave %q", v.action, got)
			}
			want = append(want, fmt.Sprintf("one/work_2: one/work_2 %[1]s, one/work_2 %[1]s", v.action), "one/work_2: completed, one/work_2 "+v.action)
		}
		if diff := cmp.Diff(want, v.list()); diff != "" {
			t.Errorf("the callbacks (-want +got):\n%s", diff)
		}
	})
}

func TestConcurrentVisits(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		v := &visitor{action: "accept"}
		var c *multiclient.MultiServerClient
		v.asked = func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitParams) {
			if cc.ToolName != "authorize" { // the answer of a call is exact everywhere
				t.Errorf("%v asked", cc)
			}
			go c.CallTool(context.WithoutCancel(t.Context()), "one", "complete", map[string]any{"id": p.ElicitationID})
		}
		c = newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				id := fmt.Sprint("c", i)
				res, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": id, "urls": 2})
				if err != nil || !strings.HasPrefix(textOf(res), "authorized "+id) {
					t.Errorf("%s: %v, %v", id, res, err)
				}
			})
		}
		wg.Wait()
	})
}
