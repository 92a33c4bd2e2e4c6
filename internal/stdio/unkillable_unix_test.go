//go:build unix

package stdio

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A process that the system does not end, such as one that hangs in a driver, costs
// Close and Kill their bounds, and nobody what is beyond them.
func TestProcessThatSurvivesSIGKILL(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		end   func(*Process) error
		waits time.Duration
		fails bool
	}{
		"Close":               {func(p *Process) error { return p.Close(context.Background()) }, 2 * killWait, true},
		"Close without time":  {func(p *Process) error { return p.Close(cancelled) }, killWait, true},
		"Kill, which is mute": {func(p *Process) error { p.Kill(); return nil }, killWait, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			p, err := Start(Command{
				Path: "/bin/sh", Args: []string{"-c", `while :; do sleep 1; done`},
				TerminateTimeout: time.Millisecond, KillTimeout: time.Millisecond,
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			})
			if err != nil {
				t.Fatal(err)
			}
			mortal := func(is bool) {
				p.group.mu.Lock()
				defer p.group.mu.Unlock()
				p.group.reaped = !is // then no signal is sent
			}
			mortal(false)
			read := make(chan error, 1)
			go func() { _, err := io.Copy(io.Discard, p.Reader()); read <- err }()

			begin := time.Now()
			err = test.end(p)
			if took := time.Since(begin); took < test.waits || took > test.waits+killWait {
				t.Errorf("it took %v, want %v", took, test.waits)
			}
			if (err != nil) != test.fails || err != nil && !strings.Contains(err.Error(), `"/bin/sh" does not end, though it was killed`) {
				t.Errorf("got %v", err)
			}
			if err := <-read; err != nil {
				t.Errorf("Read: %v", err)
			}
			if _, err := p.Writer().Write([]byte("{}\n")); err == nil {
				t.Error("there was nobody to write to")
			}
			if p.Exit() != running || p.Err() != nil {
				t.Errorf("Exit %q, Err %v", p.Exit(), p.Err())
			}

			// When the system does it after all, that is noticed.
			mortal(true)
			p.Kill()
			<-p.Done()
			if err := p.Close(context.Background()); err != nil {
				t.Errorf("Close in the end: %v", err)
			}
			if want := "was ended by signal: killed"; p.Exit() != want || p.Err() != nil {
				t.Errorf("Exit %q, Err %v", p.Exit(), p.Err())
			}
			if !strings.Contains(log.String(), "does not end on SIGKILL") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}
