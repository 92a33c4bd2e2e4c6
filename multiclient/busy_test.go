package multiclient_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A busyServer is reached without a network, and answers that it is busy as long
// as it is told to be.
type busyServer struct {
	*testserver.Server
	handler http.Handler
	status  int
	says    func(left time.Duration) string // Retry-After
	until   atomic.Pointer[time.Time]
	asked   atomic.Int32 // while it was busy
}

func newBusyServer(status int, says func(time.Duration) string) *busyServer {
	b := &busyServer{Server: testserver.New("one"), status: status, says: says}
	b.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return b.Server.Server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	b.busy(0)
	return b
}

func (b *busyServer) busy(d time.Duration) {
	until := time.Now().Add(d)
	b.until.Store(&until)
}

func (b *busyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch left := time.Until(*b.until.Load()); {
	case r.Method != http.MethodPost || r.Header.Get("Mcp-Method") == "subscriptions/listen":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case left > 0:
		b.asked.Add(1)
		w.Header().Set("Retry-After", b.says(left))
		w.WriteHeader(b.status)
	default:
		b.handler.ServeHTTP(w, r)
	}
	return w.Result(), nil
}

func (b *busyServer) connection(settings config.Settings) config.Connection {
	return config.StreamableHTTP{URL: "http://busy.test/mcp", HTTP: config.HTTP{Client: &http.Client{Transport: b}}, Settings: settings}
}

func TestRetryAfter(t *testing.T) {
	const coolDown = 30 * time.Second
	seconds := func(d time.Duration) string { return fmt.Sprint(int(d.Seconds() + 0.999)) }
	for name, test := range map[string]struct {
		status int
		says   func(time.Duration) string
		busy   time.Duration
		wait   time.Duration // until it is asked again, for a connection
	}{
		"503":         {http.StatusServiceUnavailable, seconds, 20 * time.Second, 20 * time.Second},
		"429":         {http.StatusTooManyRequests, seconds, 20 * time.Second, 20 * time.Second},
		"a date":      {http.StatusServiceUnavailable, func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }, 20 * time.Second, 20 * time.Second},
		"an eternity": {http.StatusServiceUnavailable, func(time.Duration) string { return strings.Repeat("9", 15) }, 20 * time.Second, coolDown},
		"the past":    {http.StatusServiceUnavailable, func(time.Duration) string { return "Mon, 02 Jan 1995 15:04:05 GMT" }, time.Second / 10, 0},
		"nonsense":    {http.StatusServiceUnavailable, func(time.Duration) string { return "-5" }, time.Second / 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBusyServer(test.status, test.says)
				c := newClient(t, config.Connections{"one": b.connection(config.Settings{})}, &multiclient.Options{Reconnect: multiclient.Reconnect{CoolDown: coolDown}})
				b.busy(test.busy)
				_, err := c.Tools(t.Context())
				var e *multiclient.Error
				if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || e.Status != test.status {
					t.Fatalf("at first: %v", err)
				}
				asked, start := b.asked.Load(), time.Now()
				if at := time.Until(c.Status()[0].RetryAt); at < test.wait || at > test.wait+time.Second {
					t.Errorf("it is to be tried again in %v", at)
				}
				if _, err := c.Tools(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took < test.wait || took > test.wait+time.Second || b.asked.Load() != asked {
					t.Errorf("after %v: it was asked %d times while it was busy", took, b.asked.Load()-asked)
				}
			})
		})
	}
}

// What may be sent again is, when the server has said when.
func TestRetryAfterOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusyServer(http.StatusTooManyRequests, func(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) })
		c := newClient(t, config.Connections{"one": b.connection(config.Settings{CallTimeout: time.Minute})}, nil)
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := map[string]any{"text": "x"}
		timed := func(tool string, want time.Duration) error {
			t.Helper()
			start := time.Now()
			_, err := c.CallTool(t.Context(), "one", tool, text)
			if took := time.Since(start); took != want {
				t.Errorf("%s took %v, want %v", tool, took, want)
			}
			return err
		}
		b.busy(20 * time.Second)
		if err := timed("echo", 20*time.Second); err != nil {
			t.Error(err)
		}
		b.busy(20 * time.Second)
		var e *multiclient.Error
		if err := timed("count", 0); !errors.As(err, &e) || e.Kind != multiclient.ErrBadAnswer || e.Status != http.StatusTooManyRequests {
			t.Errorf("a call that may not be repeated gave %v", err)
		}
		if n := b.Runs.Load(); n != 0 {
			t.Errorf("it ran %d times", n)
		}
		// Nobody waits for what comes too late in any case.
		b.busy(10 * time.Minute)
		asked := b.asked.Load()
		start := time.Now()
		ctx := t.Context()
		if _, err := c.CallTool(ctx, "one", "echo", text); !errors.As(err, &e) || e.Status != http.StatusTooManyRequests {
			t.Errorf("a server that is busy for long gave %v", err)
		}
		if took := time.Since(start); took > 30*time.Second || b.asked.Load()-asked != 2 {
			t.Errorf("it was asked %d times within %v", b.asked.Load()-asked, took)
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || !st.RetryAt.IsZero() {
			t.Errorf("the status is %+v", st)
		}
	})
}

// A server that goes on saying "soon" is not asked for ever for one call.
func TestRetryAfterWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBusyServer(http.StatusTooManyRequests, func(time.Duration) string { return "1" })
		c := newClient(t, config.Connections{"one": b.connection(config.Settings{CallTimeout: time.Hour})}, nil)
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.busy(24 * time.Hour)
		var e *multiclient.Error
		if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}); !errors.As(err, &e) || e.Status != http.StatusTooManyRequests {
			t.Errorf("got %v", err)
		}
		if n := b.asked.Load(); n != 5 {
			t.Errorf("it was asked %d times, want 5", n)
		}
	})
}

// Only "busy" and "too many requests" are waited for, whatever else comes with a time.
func TestRetryAfterOfOtherFailures(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusConflict, http.StatusInternalServerError, http.StatusGatewayTimeout} {
		synctest.Test(t, func(t *testing.T) {
			b := newBusyServer(status, func(time.Duration) string { return "1" })
			c := newClient(t, config.Connections{"one": b.connection(config.Settings{})}, nil)
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.busy(10 * time.Second)
			var e *multiclient.Error
			start := time.Now()
			if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}); !errors.As(err, &e) || e.Status != status {
				t.Errorf("%d gave %v", status, err)
			}
			if took, n := time.Since(start), b.asked.Load(); took > 0 || n != 1 {
				t.Errorf("%d was asked for %d times within %v", status, n, took)
			}
		})
	}
}
