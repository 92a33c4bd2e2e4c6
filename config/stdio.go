package config

import (
	"io"
	"time"
)

// Stdio is a server that the client starts as a child process and talks to
// over its standard input and output.
//
// The process and everything that it starts form a group of their own; when
// the session ends, standard input is closed, and what is then still running
// is sent SIGTERM and at last SIGKILL.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio.
type Stdio struct {
	// Command is the program alone, looked up in PATH. It is required. No shell is
	// involved: "npx -y server" is not split.
	Command string

	// Args are its arguments, each an element of its own.
	Args []string

	// Env holds variables for the process, on top of the few that a program
	// needs to run at all (PATH, HOME, TMPDIR, locale and the like); others of
	// the parent's environment, which may be secret, are not passed on. A
	// value here replaces one of those.
	Env map[string]string

	// Cwd is the working directory; empty means the caller's own.
	Cwd string

	// Stderr receives what the process writes to standard error, and may be
	// written to concurrently by different servers. Nil discards it. The last
	// lines are also kept to be shown in errors.
	Stderr io.Writer

	// TerminateTimeout is how long the process may take to exit after its
	// standard input is closed, before it is sent SIGTERM. 0 means 2 s.
	TerminateTimeout time.Duration

	// KillTimeout is how long it may take then, before it is sent SIGKILL. 0
	// means the same as TerminateTimeout. Closing as a whole is bounded by
	// Settings.CloseTimeout, at which it is killed whatever is set here.
	KillTimeout time.Duration

	// WaitDelay is how long processes that it started may outlive one that
	// exits by itself, before they are killed. 0 means 200 ms.
	WaitDelay time.Duration

	// MaxMessageSize bounds one message from the server, in bytes. 0 means
	// 64 MiB.
	MaxMessageSize int

	Settings

	secrets, credentials []string // values of variables, which String does not show
}

// Transport returns "stdio".
func (Stdio) Transport() string { return "stdio" }
