package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A deaf transport connects when it is let go, whatever becomes of its context.
type deaf struct{ letGo chan struct{} }

func (d deaf) Connect(context.Context) (mcp.Connection, error) {
	<-d.letGo
	return nil, errors.New("too late")
}

// A transport that does not end with its context holds up nobody for long.
func TestConnectThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		letGo := make(chan struct{})
		m := session.New(session.Options{
			Server:         "s",
			Connection:     config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return deaf{letGo}, nil }},
			ConnectTimeout: connectTimeout,
			CloseTimeout:   closeTimeout,
			ClientInfo:     &mcp.Implementation{Name: "c"},
			Logger:         slog.New(slog.NewTextHandler(&log, nil)),
		})
		begin := time.Now()
		if s, err := m.Acquire(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", s, err)
		}
		if took := time.Since(begin); took < connectTimeout || took > 2*connectTimeout {
			t.Errorf("it took %v", took)
		}
		if !m.Close(context.Background()) {
			t.Error("the manager does not close")
		}
		close(letGo)
		synctest.Wait()
		if !strings.Contains(log.String(), "did not give up connecting") {
			t.Errorf("the log does not say so: %s", log.String())
		}
	})
}

// Nor does it hold up Close beyond its context.
func TestCloseWhileConnectingDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letGo := make(chan struct{})
		m := session.New(session.Options{
			Server:         "s",
			Connection:     config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return deaf{letGo}, nil }},
			ConnectTimeout: connectTimeout,
			CloseTimeout:   closeTimeout,
			ClientInfo:     &mcp.Implementation{Name: "c"},
			Logger:         slog.New(slog.DiscardHandler),
		})
		ended := make(chan error, 1)
		go func() { _, err := m.Acquire(t.Context()); ended <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if m.Close(ctx) {
			t.Error("it reports that all has ended")
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it took %v", took)
		}
		if !m.Close(context.Background()) {
			t.Error("what goes on in the background does not end")
		}
		if err := <-ended; !errors.Is(err, session.ErrClosed) {
			t.Errorf("got %v", err)
		}
		close(letGo)
	})
}
