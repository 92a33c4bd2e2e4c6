package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// tokenServerDown is what another client may say of another server, and is nobody's to
// change.
func tokenServerDown() *multiclient.Error {
	return &multiclient.Error{Kind: multiclient.ErrBadAnswer, Phase: multiclient.PhaseCall, Server: "tokens", Tool: "issue", Status: 500}
}

// An error of another client that is the cause of a failure stays as it is, and
// each of those who wait for the same session has an error of its own.
func TestErrorInsideACauseIsNotTheErrorOfTheCall(t *testing.T) {
	leak.Check(t)
	const callers = 32
	shared, before := tokenServerDown(), *tokenServerDown()
	waiting := make(chan struct{})
	c := newClient(t, config.Connections{"one": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		<-waiting
		return nil, shared
	}}}, &multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 1, CoolDown: time.Hour}})
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = c.CallTool(t.Context(), "one", fmt.Sprintf("tool%d", i), nil) })
	}
	close(waiting)
	all.Wait()
	_, late := c.CallTool(t.Context(), "one", "tool32", nil) // the breaker's last error
	seen := map[*multiclient.Error]bool{}
	for i, err := range append(errs, late) {
		e, ok := err.(*multiclient.Error)
		if !ok || seen[e] || e.Server != "one" || e.Tool != fmt.Sprintf("tool%d", i) || e.Kind != multiclient.ErrUnavailable || !errors.Is(err, shared) {
			t.Fatalf("caller %d got %v", i, err)
		}
		seen[e] = true
	}
	if *shared != before {
		t.Errorf("the cause became %v", shared)
	}
}

// What a group of calls is cancelled for is the failure of one of them.
func TestCallCancelledForTheFailureOfAnother(t *testing.T) {
	s := newServer(t)
	shared, before := tokenServerDown(), *tokenServerDown()
	for name, settings := range map[string]config.Settings{
		"during the call": {}, "before a slot": {SessionPolicy: config.SessionSerialized},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: settings}}, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			failed := make(chan error, 2)
			for range cap(failed) {
				go func() { _, err := c.CallTool(ctx, "one", "block", nil); failed <- err }()
			}
			receive(t, s.Blocked, "blocked call")
			cancel(shared)
			for range cap(failed) {
				e, ok := receive(t, failed, "end of a call").(*multiclient.Error)
				if !ok || e == shared || e.Server != "one" || e.Tool != "block" || !errors.Is(e, context.Canceled) || !errors.Is(e, shared) {
					t.Errorf("got %v", e)
				}
			}
			if *shared != before {
				t.Errorf("the cause became %v", shared)
			}
		})
	}
}

// A server that another client has lost is not this one's.
func TestOtherClientsOfHeaderSources(t *testing.T) {
	other := newClient(t, config.Connections{"tokens": config.StreamableHTTP{URL: "http://127.0.0.1:9/mcp"}},
		&multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 1, CoolDown: time.Hour}})
	closed := newClient(t, config.Connections{"tokens": config.InMemory{Server: newServer(t).Server}}, nil)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]*multiclient.MultiServerClient{"left alone": other, "closed": closed} {
		t.Run(name, func(t *testing.T) {
			_, shared := from.CallTool(t.Context(), "tokens", "issue", nil)
			for range 2 { // the second finds that the server is left alone
				_, shared = from.CallTool(t.Context(), "tokens", "issue", nil)
			}
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: "http://127.0.0.1:9/mcp", HTTP: config.HTTP{
				HeaderSource: func(context.Context) (http.Header, error) { return nil, shared },
			}}}, nil)
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			e, ok := err.(*multiclient.Error)
			if !ok || e.Kind != multiclient.ErrUnavailable || e.Server != "one" || !e.RetryAt.IsZero() || !errors.Is(err, shared) {
				t.Errorf("got %v, to be tried again %v", err, e.RetryAt)
			}
		})
	}
}
