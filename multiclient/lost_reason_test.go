package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// ends returns callbacks that hand over why connections have ended, as events of
// state and as messages.
func ends() (cb callbacks.Callbacks, states, messages <-chan error) {
	toldOf, told := make(chan error, 64), make(chan error, 64)
	return callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.State == callbacks.Disconnected {
				toldOf <- change.Err
			}
		},
		OnMessage: func(_ context.Context, _ callbacks.CallbackContext, msg callbacks.Message) {
			if msg.Err != nil {
				told <- msg.Err
			}
		},
	}, toldOf, told
}

// typed returns an error as one of the client, which it must be.
func typed(t *testing.T, err error) *multiclient.Error {
	t.Helper()
	var e *multiclient.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no error of the client: %v", err, err)
	}
	return e
}

// sameErrors fails the test unless errors say the same.
func sameErrors(t *testing.T, want, got *multiclient.Error) {
	t.Helper()
	// Of the cause the text counts, which is part of the error's.
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(multiclient.Error{}), cmpopts.IgnoreFields(multiclient.Error{}, "Err")); diff != "" || want.Error() != got.Error() {
		t.Errorf("want %v, got %v (-want +got):\n%s", want, got, diff)
	}
}

// A process that is killed under a call is told of as what it is, and not as one
// that could not be connected to: in the event as in the status.
func TestEventOfAProcessThatWasKilled(t *testing.T) {
	leak.Check(t)
	v := testserver.Chaos{Dir: t.TempDir()}
	cb, states, messages := ends()
	c := newClient(t, config.Connections{"one": v.Stdio(t)}, &multiclient.Options{Callbacks: cb})
	call(t, c, "one", "once", map[string]any{"id": "a", "ms": 0})
	pid, err := v.PID()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), "one", "once", map[string]any{"id": "b", "ms": 60_000})
		ended <- err
	}()
	eventually(t, func() bool { return c.Status()[0].InFlight == 1 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e := typed(t, receive(t, states, "end of the session"))
	if e.Kind != multiclient.ErrUnavailable || e.Phase != multiclient.PhaseSession || e.Server != "one" {
		t.Errorf("kind %q, phase %q, server %q: %v", e.Kind, e.Phase, e.Server, e)
	}
	for _, want := range []string{"session: server unavailable: the session was lost: ", "the process was ended by signal: killed"} {
		if strings.Count(e.Error(), want) != 1 {
			t.Errorf("it does not say %q once: %v", want, e)
		}
	}
	sameErrors(t, typed(t, c.Status()[0].LastError), e)
	sameErrors(t, e, typed(t, receive(t, messages, "message")))
	if err := receive(t, ended, "end of the call"); err == nil {
		t.Error("the call has not failed")
	}
}

// An attempt to connect that fails is told of with the kind, the phase and the last
// words of the process.
func TestEventOfAProcessThatDoesNotStart(t *testing.T) {
	leak.Check(t)
	cb, states, _ := ends()
	c := newClient(t, config.Connections{"one": config.Stdio{Command: "sh", Args: []string{"-c", "echo no licence >&2; exit 3"}}}, &multiclient.Options{Callbacks: cb})
	if _, err := c.Tools(t.Context()); err == nil {
		t.Fatal("there are tools")
	}
	e := typed(t, receive(t, states, "failure"))
	if e.Kind != multiclient.ErrUnavailable || e.Phase != multiclient.PhaseInitialize || !strings.Contains(e.Detail, "no licence") || strings.Count(e.Error(), "no licence") != 1 {
		t.Errorf("kind %q, phase %q, detail %q: %v", e.Kind, e.Phase, e.Detail, e)
	}
	sameErrors(t, typed(t, c.Status()[0].LastError), e)
}

// A server whose health check is left unanswered loses its session for that reason,
// which the event says, and the status as long as there is no other session.
func TestEventOfAHealthCheckWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("one")
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "ping" {
					<-ctx.Done()
				}
				return next(ctx, method, req)
			}
		})
		cb, states, _ := ends()
		c := newClient(t, config.Connections{"one": inMemory(stateful)(t, s, config.Settings{ListTimeout: time.Second})},
			&multiclient.Options{Callbacks: cb, HealthCheck: time.Minute})
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		e := typed(t, <-states)
		const want = "session: server unavailable: the session was lost: health check: no answer within the list timeout of 1s"
		if e.Kind != multiclient.ErrUnavailable || !errors.Is(e, context.DeadlineExceeded) || !strings.HasSuffix(e.Error(), want) {
			t.Errorf("got %v", e)
		}
		st := c.Status()[0]
		if st.State != multiclient.StateFailed {
			t.Errorf("the state is %s", st.State)
		}
		sameErrors(t, e, typed(t, st.LastError))
	})
}

// A session that ends by itself is in no phase of connecting, whatever the transport.
func TestEventOfASessionThatEnds(t *testing.T) {
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	cb, states, _ := ends()
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	breakIt()
	e := typed(t, receive(t, states, "end of the session"))
	if e.Phase != multiclient.PhaseSession || !errors.Is(e, mcp.ErrConnectionClosed) || strings.Count(e.Error(), "the session was lost") != 1 {
		t.Errorf("got %v", e)
	}
	sameErrors(t, typed(t, c.Status()[0].LastError), e)
}
