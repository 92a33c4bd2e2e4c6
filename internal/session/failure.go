package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// Why there are no more sessions.
var (
	ErrClosed  = errors.New("the client is closed")
	ErrRemoved = errors.New("the server was removed from the client, or replaced")
)

// ErrConnectTimeout is why the context of an attempt to open a session has ended
// after the connect timeout. errors.Is finds [context.DeadlineExceeded] for it.
var ErrConnectTimeout error = connectTimeout{}

type connectTimeout struct{}

func (connectTimeout) Error() string        { return "no answer within the connect timeout" }
func (connectTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// timedOut says of the end of what was part of an attempt, if it ended with the
// attempt, that it was the connect timeout.
func timedOut(ctx context.Context, err error) error {
	if context.Cause(ctx) != ErrConnectTimeout || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrConnectTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrConnectTimeout, err)
}

// A Phase is a step on the way to a session.
type Phase string

const (
	PhaseSpawn      Phase = "spawn"
	PhaseConnect    Phase = "connect"
	PhaseInitialize Phase = "initialize"
	PhaseSession    Phase = "session" // there was one, which was lost
)

// A Failure says why there is no session.
type Failure struct {
	Phase Phase
	transport.Diagnosis
	Err error
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", f.Phase, f.Err)
	if f.Detail != "" {
		fmt.Fprintf(&b, " (%s)", f.Detail)
	}
	return b.String()
}

func (f *Failure) Unwrap() error { return f.Err }

// notOpened says why a session whose transport was opened has failed to begin.
func notOpened(ctx context.Context, s *Session, err error) *Failure {
	diagnosis := s.link.Diagnose()
	if s.stopped {
		diagnosis.Detail = s.said
	}
	phase := handshakePhase(err, diagnosis)
	diagnosis.Hint = s.link.Hint(ctx, err)
	return &Failure{Phase: phase, Diagnosis: diagnosis, Err: withRefusal(err, diagnosis)}
}

// withRefusal puts first that the server wants to be signed in to, if it said
// so to server/discover and something else to initialize.
func withRefusal(err error, d transport.Diagnosis) error {
	if d.Refused == nil || errors.Is(err, d.Refused) {
		return err
	}
	return fmt.Errorf("%w; then: %w", d.Refused, err)
}

func openPhase(transport string) Phase {
	if transport == "stdio" {
		return PhaseSpawn
	}
	return PhaseConnect
}

// handshakePhase tells a server that cannot be reached from one that can.
func handshakePhase(err error, d transport.Diagnosis) Phase {
	if d.Unreachable {
		return PhaseConnect
	}
	var (
		notFound   *exec.Error
		notStarted *fs.PathError
	)
	if errors.As(err, &notFound) || errors.As(err, &notStarted) && notStarted.Op == "fork/exec" {
		return PhaseSpawn // by the SDK's transport for commands
	}
	return PhaseInitialize
}
