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
		t.Run("the user says that they are visited", func(t *testing.T) {
			v := &visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}}
			c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			got := call(t, c, "one", "authorize", map[string]any{"id": "x", "urls": 3})
			if got != "authorized x, run 1" {
				t.Errorf("got %q", got)
			}
			var want []string
			for i := 1; i <= 3; i++ {
				want = append(want, fmt.Sprintf("one/authorize: authorize x, x/%d", i))
			}
			if diff := cmp.Diff(want, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
			// It is authorized now, and runs once for each call.
			if got := call(t, c, "one", "authorize", map[string]any{"id": "x", "urls": 3}); got != "authorized x, run 2" || len(v.list()) != 3 {
				t.Errorf("got %q after %q", got, v.list())
			}
		})
		t.Run("the server says so while the user is asked", func(t *testing.T) {
			var c *multiclient.MultiServerClient
			v := &visitor{action: "accept"}
			v.asked = func(ctx context.Context, _ callbacks.CallbackContext, p *mcp.ElicitParams) {
				if _, err := c.CallTool(ctx, "one", "complete", map[string]any{"id": p.ElicitationID}); err != nil {
					t.Error(err)
				}
			}
			c = newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			if got := call(t, c, "one", "authorize", map[string]any{"id": "x", "urls": 2}); got != "authorized x, run 1" {
				t.Errorf("got %q", got)
			}
			want := []string{
				"one/authorize: authorize x, x/1", "one/authorize: completed, x/1",
				"one/authorize: authorize x, x/2", "one/authorize: completed, x/2",
			}
			if diff := cmp.Diff(want, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
		})
		t.Run("the server says so later", func(t *testing.T) {
			asked := make(chan string, 2)
			v := &visitor{action: "accept"}
			v.asked = func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ElicitParams) { asked <- p.ElicitationID }
			c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			done := make(chan string, 1)
			go func() {
				res, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "x"})
				if err != nil {
					t.Error(err)
					done <- ""
					return
				}
				done <- textOf(res)
			}()
			call(t, c, "one", "complete", map[string]any{"id": receive(t, asked, "question")})
			if got := receive(t, done, "end of the call"); got != "authorized x, run 1" {
				t.Errorf("got %q", got)
			}
			if diff := cmp.Diff([]string{"one/authorize: authorize x, x/1", "one/authorize: completed, x/1"}, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
		})
		t.Run("the server says so before it asks", func(t *testing.T) {
			v := &visitor{action: "accept"}
			c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			if got := call(t, c, "one", "authorize", map[string]any{"id": "x", "early": true}); got != "authorized x, run 1" {
				t.Errorf("got %q", got)
			}
			eventually(t, func() bool { return len(v.list()) == 2 })
		})
		t.Run("the user does not want to", func(t *testing.T) {
			for _, action := range []string{"decline", "cancel"} {
				v := &visitor{action: action}
				c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
				_, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "x", "urls": 2})
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
			v := &visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}}
			c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			if got := call(t, c, "one", "authorize", map[string]any{"id": "x", "again": 3}); got != "authorized x, run 1" {
				t.Errorf("got %q", got)
			}
			_, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "y", "again": 4})
			if !errors.Is(err, multiclient.ErrRefused) {
				t.Errorf("got %v", err)
			}
			if n := len(v.list()); n != 6 {
				t.Errorf("the user was asked %d times", n)
			}
		})
		t.Run("without the callback", func(t *testing.T) {
			for _, cb := range []callbacks.Callbacks{{}, answering(t), {URLElicitation: true}} {
				c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
				_, err := c.CallTool(t.Context(), "one", "authorize", map[string]any{"id": "x"})
				var refused *jsonrpc.Error
				if !errors.Is(err, multiclient.ErrRefused) || !errors.As(err, &refused) || refused.Code != mcp.CodeURLElicitationRequired || !strings.Contains(string(refused.Data), "visit.example") {
					t.Errorf("got %v", err)
				}
			}
		})
	})
}

func TestURLModeOfARequest(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		for _, action := range []string{"accept", "decline", "cancel"} {
			v := &visitor{action: action}
			c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: v.callbacks(t)})
			if got := call(t, c, "one", "work_2", map[string]any{"id": "x", "ask": []string{"url"}}); got != fmt.Sprintf(`{"url":%q}`, action) {
				t.Errorf("%s gave %q", action, got)
			}
			want := []string{"one/work_2: one/work_2 x, one/work_2 x", "one/work_2: completed, one/work_2 x"}
			if diff := cmp.Diff(want, v.list()); diff != "" {
				t.Errorf("the callbacks (-want +got):\n%s", diff)
			}
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
