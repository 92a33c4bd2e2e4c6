//go:build unix

package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// onTerminal runs the program with a terminal as stdin and stderr. When the
// screen shows prompt, keys are typed. It returns what the screen showed when
// they were, or in the end if they were not.
func onTerminal(t *testing.T, prompt, keys string, args ...string) (ran, string) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 100, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	screen := vt.NewEmulator(100, 40)
	shown, typed := "", false
	var ended sync.WaitGroup
	ended.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if err != nil { // the terminal is closed
				screen.InputPipe().(io.Closer).Close()
				return
			}
			screen.Write(buf[:n])
			if !typed {
				shown = screen.String()
			}
			if !typed && prompt != "" && strings.Contains(shown, prompt) {
				typed = true
				if _, err := master.WriteString(keys); err != nil {
					t.Error(err)
				}
			}
		}
	})
	ended.Go(func() { io.Copy(master, screen) }) // what it answers to queries
	var stdout bytes.Buffer
	status := run(t.Context(), args, tty, &stdout, tty)
	tty.Close()
	ended.Wait()
	master.Close()
	return ran{status: status, stdout: stdout.String()}, shown
}

// TestForm: people are asked unless the answer is on the command line.
func TestForm(t *testing.T) {
	config := configure(t, entries{"library": url(serve(t, library(t, nil)))})
	const ctrlD = "\x04"
	r, shown := onTerminal(t, "Who are you?", ctrlD, "-config", config, "call", "card")
	r.must(t, statusOK, "decline <nil> <nil>\n", "")
	if !strings.Contains(shown, "library/card asks") {
		t.Errorf("the screen shows no form:\n%s", shown)
	}

	r, shown = onTerminal(t, "", "", "-config", config, "-elicit", `{"name": "Ada"}`, "call", "card")
	r.must(t, statusOK, "accept Ada red\n", "")
	if !strings.Contains(shown, `library/card asked "Who are you?": accepted`) {
		t.Errorf("the screen does not show how the question was answered:\n%s", shown)
	}
}
