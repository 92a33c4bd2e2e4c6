package multiclient_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// What a page has said of a tool is forgotten when another page of a later list
// says otherwise.
func TestToolsThatMoveBetweenPages(t *testing.T) {
	s := &testserver.Server{Name: "s", Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{
		PageSize:     1,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, // it does not announce changes
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = int(time.Hour.Milliseconds()) },
	})}
	var runs, lists atomic.Int32
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	for i := range 3 {
		addPlain(s.Server, fmt.Sprint("a", i), "")
	}
	addWhere(s.Server, &runs, "Region")
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true)}}, nil)
	if list, err := c.Tools(t.Context()); err != nil || len(list) != 4 {
		t.Fatalf("%v, %v", toolNames(list), err)
	}
	s.RemoveTools("a2")
	addWhere(s.Server, &runs, "Area") // on the third page now, and no longer on the fourth
	lists.Store(0)
	const calls = 30
	for range calls {
		if got := call(t, c, "s", "where", map[string]any{"region": "eu"}); got != "eu" {
			t.Errorf("the header is %q", got)
		}
	}
	if n := runs.Load(); n != calls {
		t.Errorf("the tool ran %d times, want %d", n, calls)
	}
	if n := lists.Load(); n != 3 {
		t.Errorf("%d pages were listed, want the 3 of one list", n)
	}
}

// Who asks while the list is being asked for shares the next with all others: a
// list that holds for no time is asked for anew by each, but not one by one.
func TestConcurrentCallersShareAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := hinting("s", 0, "public", false)
		addPlain(s.Server, "a", "")
		var lists atomic.Int32
		proceed := make(chan struct{})
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "tools/list" {
					lists.Add(1)
					<-proceed
				}
				return next(ctx, method, req)
			}
		})
		c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, nil)
		ask := func() {
			if list, err := c.Tools(t.Context()); err != nil || len(list) != 1 {
				t.Errorf("%v, %v", toolNames(list), err)
			}
		}
		var asking sync.WaitGroup
		for range 50 {
			asking.Go(ask)
		}
		synctest.Wait()
		close(proceed)
		asking.Wait()
		shared := lists.Load()
		if shared > 2 {
			t.Errorf("50 callers at the same time had the tools listed %d times", shared)
		}
		ask()
		ask()
		if n := lists.Load() - shared; n != 2 {
			t.Errorf("2 callers one after the other had the tools listed %d times", n)
		}
	})
}

// A list holds for as long as all of its pages do. Those that do not say how long
// hold until a change is announced, or not at all if none is.
func TestHowLongPagesHold(t *testing.T) {
	for name, test := range map[string]struct {
		first, second time.Duration
		announces     bool
		want          time.Duration // that the list holds; less than 0 means until it is told
	}{
		"both":                             {time.Hour, time.Minute, true, time.Minute},
		"both, unannounced":                {time.Minute, time.Hour, false, time.Minute},
		"only the first":                   {time.Minute, 0, true, time.Minute},
		"only the second":                  {0, time.Minute, true, time.Minute},
		"only the first, unannounced":      {time.Minute, 0, false, 0},
		"only the second, unannounced":     {0, time.Minute, false, 0},
		"the second less than no time":     {time.Minute, -time.Hour, true, time.Minute},
		"less than no time":                {-time.Hour, -1 << 62, true, -1},
		"less than no time, unannounced":   {-time.Hour, -1 << 62, false, 0},
		"none":                             {0, 0, true, -1},
		"longer than can be told, and one": {1 << 62, time.Minute, true, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{
					PageSize:     1,
					Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: test.announces}},
					SetCacheable: func(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
						c.TTLMs = int(test.first.Milliseconds())
						if p, ok := req.GetParams().(*mcp.ListToolsParams); ok && p.Cursor != "" {
							c.TTLMs = int(test.second.Milliseconds())
						}
					},
				})
				addPlain(s, "a", "")
				addPlain(s, "b", "")
				var pages int
				s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "tools/list" {
							pages++
						}
						return next(ctx, method, req)
					}
				})
				c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, nil)
				lists := func(after time.Duration) int {
					time.Sleep(after)
					pages = 0
					if list, err := c.Tools(t.Context()); err != nil || len(list) != 2 {
						t.Fatalf("%v, %v", toolNames(list), err)
					}
					return pages / 2
				}
				lists(0)
				switch {
				case test.want < 0:
					if n := lists(1000 * time.Hour); n != 0 {
						t.Error("it was asked for again")
					}
				case test.want == 0:
					if n := lists(0); n != 1 {
						t.Error("it was not asked for again")
					}
				default:
					if n := lists(test.want - time.Second); n != 0 {
						t.Error("it was asked for again too early")
					}
					if n := lists(time.Second); n != 1 {
						t.Error("it was not asked for again in time")
					}
				}
			})
		})
	}
}
