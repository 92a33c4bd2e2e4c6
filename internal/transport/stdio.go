package transport

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

// defaultMaxMessage bounds one message from a server, in bytes.
const defaultMaxMessage = 64 << 20

func openStdio(c config.Stdio, opts Options) (*Link, error) {
	limit := c.MaxMessageSize
	if limit <= 0 {
		limit = defaultMaxMessage
	}
	strays := new(strays)
	process, err := stdio.Start(stdio.Command{
		Path:             c.Command,
		Args:             c.Args,
		Env:              c.Env,
		Secrets:          opts.secrets,
		Dir:              c.Cwd,
		Stderr:           c.Stderr,
		Logger:           opts.Logger.With("server", opts.Server),
		TerminateTimeout: c.TerminateTimeout,
		KillTimeout:      c.KillTimeout,
		WaitDelay:        c.WaitDelay,
		MaxLine:          limit,
		OnStray: func(line []byte) {
			strays.add(line)
			opts.Report(fmt.Errorf("the server wrote on stdout what is not a message: %q", line))
		},
	})
	if err != nil {
		return nil, err
	}
	return &Link{
		Transport: opts.watchPipe(process.Transport()),
		PID:       process.PID(),
		kill:      process.Kill,
		ended:     process.Done(),
		close: func(ctx context.Context) {
			if err := process.Close(ctx); err != nil {
				opts.Logger.Warn("stopping the server's process", "server", opts.Server, "error", err)
			}
		},
		diagnose: func() Diagnosis { return diagnose(process, strays) },
	}, nil
}

// diagnose says what a process did, besides speaking the protocol.
func diagnose(process *stdio.Process, strays *strays) Diagnosis {
	var parts []string
	select {
	case <-process.Done():
		parts = append(parts, "the process "+process.Exit())
	default:
	}
	if line := strays.last(); line != "" {
		parts = append(parts, fmt.Sprintf("it wrote on stdout what is not a message, last %q", line))
	}
	if tail := strings.TrimSpace(process.StderrTail()); tail != "" {
		parts = append(parts, "its stderr ends with:\n"+tail)
	}
	return Diagnosis{Detail: strings.Join(parts, "; ")}
}

// strays remembers the last line on standard output that was no message.
type strays struct {
	mu   sync.Mutex
	line string
}

func (s *strays) add(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = string(line)
}

func (s *strays) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line
}
