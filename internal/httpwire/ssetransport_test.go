package httpwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

func TestSSEStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		rec := new(recorder)
		wire := httpwire.New(httpwire.Options{
			SSE:        true,
			MaxMessage: 500,
			Hooks:      rec.hooks(),
			Logger:     slog.New(slog.NewTextHandler(&log, nil)),
			Base: baseFunc(held(": hi\n\nevent: endpoint\ndata: /messages?id=1\n\nevent: ping\ndata: now\n\nid: 4\ndata:\n\n" +
				"data: " + strings.Repeat("x", 600) + "\n\ndata: nonsense\n\nevent: endpoint\ndata: /other\n\nid: 5\nevent: message\ndata: " + note + "\n\ndata: [" + ask + "," + answer + "]\n\n")),
		})
		connect, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := wire.RoundTrip(newGet(connect, ""))
		if err != nil {
			t.Fatal(err)
		}
		want := "event: endpoint\ndata: /messages?id=1\n\ndata: " + note + "\n\ndata: " + ask + "\n\ndata: " + answer + "\n\n"
		buf := make([]byte, len(want))
		for n := 0; n < len(want); {
			m, err := resp.Body.Read(buf[n:])
			if err != nil {
				t.Fatal(err)
			}
			n += m
			cancel() // once the first event is there, Connect's context is no matter
			synctest.Wait()
		}
		if string(buf) != want {
			t.Errorf("read %q, want %q", buf, want)
		}
		if diff := cmp.Diff([]string{"notifications/message", "elicitation/create"}, rec.methods()); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(log.String(), "more than 500 bytes") || !strings.Contains(log.String(), "nonsense") {
			t.Errorf("log: %s", &log)
		}
		wire.Close()
		if _, err := resp.Body.Read(buf); err == nil {
			t.Error("the stream outlived the session")
		}
		resp.Body.Close()
	})
}

func TestSSEStreamFailures(t *testing.T) {
	for name, test := range map[string]struct {
		step   func(*http.Request) (*http.Response, error)
		err    string
		status int
		told   httpwire.Answer
	}{
		"denied":   {step: status(401, "text/plain", "no"), status: 401, told: httpwire.Answer{Status: 401, Sent: true, Excerpt: "no"}},
		"web page": {step: status(200, "text/html", "<html>"), err: `the answer is of type "text/html", which is not MCP: <html>`, told: httpwire.Answer{Status: 200, Sent: true, Excerpt: "<html>"}},
		"refused":  {step: refuse, err: "connection refused", told: httpwire.Answer{Sent: true, Err: errors.New("connection refused")}},
		"too late": {step: never, err: "context deadline exceeded", told: httpwire.Answer{Sent: true, Err: context.DeadlineExceeded}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{SSE: true, Base: baseFunc(test.step), Hooks: rec.hooks()})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				resp, err := wire.RoundTrip(newGet(ctx, ""))
				if test.err != "" {
					if err == nil || err.Error() != test.err {
						t.Errorf("error = %v", err)
					}
				} else if body, _ := io.ReadAll(resp.Body); resp.StatusCode != test.status || string(body) != "no" {
					t.Errorf("got %d %q", resp.StatusCode, body)
				}
				same := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
				if diff := cmp.Diff([]httpwire.Answer{test.told}, rec.answers, same); diff != "" {
					t.Errorf("Responded was told (-want +got):\n%s", diff)
				}
			})
		})
	}
	// A POST is answered without content; an error is passed on as it is.
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{SSE: true, Base: baseFunc(status(404, "text/plain", "Session not found")), Hooks: rec.hooks()})
	defer wire.Close()
	if resp, body := do(t, wire, newPost(t.Context(), callMessage)); resp.StatusCode != 404 || body != "Session not found" {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
	if diff := cmp.Diff([]httpwire.Answer{{Method: "tools/call", Status: 404, Sent: true, SessionLost: true, Excerpt: "Session not found"}}, rec.answers); diff != "" {
		t.Error(diff)
	}
}
