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

	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// An exchange is what a screen shows, and what is typed then.
type exchange struct{ prompt, keys string }

// onTerminal is converse for one exchange, or none. It returns what the screen
// showed when the keys were typed, or in the end if they were not.
func onTerminal(t *testing.T, prompt, keys string, args ...string) (ran, string) {
	t.Helper()
	var exchanges []exchange
	if prompt != "" {
		exchanges = append(exchanges, exchange{prompt, keys})
	}
	r, shown := converse(t, exchanges, args...)
	return r, shown[0]
}

// converse runs the program with a terminal as stdin and stderr. It returns
// what the screen showed when each of the keys were typed, and in the end.
func converse(t *testing.T, exchanges []exchange, args ...string) (ran, []string) {
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
	var shown []string
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
			if len(shown) < len(exchanges) && strings.Contains(screen.String(), exchanges[len(shown)].prompt) {
				keys := exchanges[len(shown)].keys
				shown = append(shown, screen.String())
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
	return ran{status: status, stdout: stdout.String()}, append(shown, screen.String())
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

// TestInputsOnTerminal: what is secret is not shown while it is typed, nor
// after it.
func TestInputsOnTerminal(t *testing.T) {
	config := writeFile(t, "mcp.json", strings.ReplaceAll(asking, "URL", serve(t, library(t, nil))))
	secret := authserver.Secret()
	r, shown := converse(t, []exchange{
		{"the library:", secret + "\r"},
		{"Number [eu]:", "2\r"},
		{"name [Ada]:", "Grace\r"},
	}, "-config", config, "-input", "branch=main", "call", "count")
	r.must(t, statusOK, "A few.", "")
	r, after := converse(t, []exchange{{"the library:", "\x03"}}, "-config", config, "-input", "branch=main", "-input", "region=eu", "-input", "name=x", "call", "count")
	r.must(t, statusUsage, "", "")
	if end := after[len(after)-1]; !strings.Contains(strings.ReplaceAll(end, "\n", ""), "the input api-key was not answered: it was given up") {
		t.Errorf("the screen shows no failure:\n%s", end)
	}
	end := shown[len(shown)-1]
	if strings.Contains(end, authserver.Marker) || !strings.Contains(end, "Number [eu]: 2") || !strings.Contains(end, "Grace") {
		t.Error("the screen shows a secret, or not what else was typed")
	}
}
