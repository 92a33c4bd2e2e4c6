package session

import (
	"errors"
	"fmt"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// Why there are no more sessions.
var (
	ErrClosed  = errors.New("the client is closed")
	ErrRemoved = errors.New("the server was removed from the client, or replaced")
)

// A Phase is a step on the way to a session.
type Phase string

const (
	PhaseSpawn      Phase = "spawn"
	PhaseConnect    Phase = "connect"
	PhaseInitialize Phase = "initialize"
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
