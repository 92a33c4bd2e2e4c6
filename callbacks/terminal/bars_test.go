//go:build unix

package terminal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

func call(server, tool, id string) callbacks.CallbackContext {
	return callbacks.CallbackContext{ServerName: server, ToolName: tool, CallID: id}
}

func moves(ctx context.Context, term *terminal.Terminal, cc callbacks.CallbackContext, progress, total float64, message string) {
	term.Callbacks().OnProgress(ctx, cc, &mcp.ProgressNotificationParams{ProgressToken: "token of " + cc.CallID, Progress: progress, Total: total, Message: message})
}

func logs(term *terminal.Terminal, cc callbacks.CallbackContext, level mcp.LoggingLevel, data any) {
	term.Callbacks().OnLoggingMessage(context.Background(), cc, &mcp.LoggingMessageParams{Level: level, Data: data})
}

// shows waits for the screen to show exactly these lines.
func (s *screen) shows(lines ...string) {
	s.t.Helper()
	want := strings.Join(lines, "\n")
	s.until("\n"+want, func(text string) bool { return text == want })
}

func TestBars(t *testing.T) {
	ctx := t.Context()
	s := newScreen(t, 80, 24)
	term := s.terminal()
	index, fetch, prime := call("files", "index", "1"), call("weather", "fetch_all", "2"), call("math", "prime", "3")

	moves(ctx, term, index, 5, 10, "src/")
	moves(ctx, term, fetch, 1, 5, "")
	moves(ctx, term, prime, 7, 0, "testing 7919")
	const (
		index50 = "files/index        ██████████░░░░░░░░░░   50%  5/10  src/"
		fetch20 = "weather/fetch_all  ████░░░░░░░░░░░░░░░░   20%  1/5"
		prime7  = "math/prime         7  testing 7919"
	)
	s.shows(index50, fetch20, prime7)

	logs(term, index, "warning", "3 files skipped")
	const warning = "files/index: warning: 3 files skipped"
	s.shows(warning, index50, fetch20, prime7)

	moves(ctx, term, index, 7.5, 10, "lib/")
	s.shows(warning, "files/index        ███████████████░░░░░   75%  7.5/10  lib/", fetch20, prime7)

	// a call that is done
	moves(ctx, term, fetch, 5, 5, "")
	s.shows(warning, "files/index  ███████████████░░░░░   75%  7.5/10  lib/", "math/prime   7  testing 7919")
	moves(ctx, term, fetch, 6, 5, "more than all")

	fmt.Fprint(term, "the program\nsays ")
	s.shows(warning, "the program", "files/index  ███████████████░░░░░   75%  7.5/10  lib/", "math/prime   7  testing 7919")
	fmt.Fprint(term, "this\n")

	if err := term.Close(); err != nil {
		t.Error(err)
	}
	s.shows(warning, "the program", "says this")
	moves(ctx, term, index, 8, 10, "")
	logs(term, index, "info", "too late")
	s.tty.WriteString("end")
	s.shows(warning, "the program", "says this", "end")
	s.restored()
}

func TestBarsGoWithTheirCall(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	ctx, stop := context.WithCancel(t.Context())
	moves(ctx, term, call("a", "x", "1"), 1, 2, "")
	moves(t.Context(), term, call("b", "y", "2"), 1, 2, "")
	s.sees("a/x")
	s.sees("b/y")
	stop()
	s.shows("b/y  ██████████░░░░░░░░░░   50%  1/2")
	// news that comes after the end brings nothing back
	moves(ctx, term, call("a", "x", "1"), 1, 2, "")
	moves(t.Context(), term, call("b", "y", "2"), 2, 2, "")
	logs(term, call("a", "x", "1"), "info", "done")
	s.shows("a/x: info: done")
}

func TestBarsOfCallsWithoutAnID(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	for _, token := range []string{"t1", "t2", "t1"} {
		term.Callbacks().OnProgress(t.Context(), call("a", "", ""), &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Total: 2})
	}
	s.shows("a  ██████████░░░░░░░░░░   50%  1/2", "a  ██████████░░░░░░░░░░   50%  1/2")
}

func TestBarsAreBounded(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	id := func(i int) callbacks.CallbackContext { return call("s", fmt.Sprintf("tool%03d", i), fmt.Sprint(i)) }
	for i := range 64 {
		moves(t.Context(), term, id(i), 1, 2, "")
	}
	s.sees("… and 56 more")
	if got := strings.Count(s.text(), "50%"); got != 8 {
		t.Errorf("%d bars are shown, want 8:\n%s", got, s.text())
	}
	moves(t.Context(), term, id(0), 1, 4, "") // so 1 is the oldest
	moves(t.Context(), term, id(64), 1, 2, "")
	s.until("all but the oldest", func(text string) bool {
		return !strings.Contains(text, "tool001") && strings.Contains(text, "tool000") && strings.Contains(text, "… and 56 more")
	})
	s.resize(80, 6)
	moves(t.Context(), term, id(2), 1, 4, "")
	s.sees("… and 61 more")
}

func TestBarsWithOddNumbers(t *testing.T) {
	for _, tc := range []struct {
		progress, total float64
		want            string
	}{
		{-1, 5, "a/x  ░░░░░░░░░░░░░░░░░░░░    0%  -1/5"},
		{1, -5, "a/x  1"},
		{1.0 / 3, 1, "a/x  ██████░░░░░░░░░░░░░░   33%  0.33/1"},
		{1e18, 0, "a/x  1e+18"},
		{0, 0, "a/x  0"},
		{999, 1000, "a/x  ███████████████████░   99%  999/1000"},
	} {
		s := newScreen(t, 80, 24)
		term := s.terminal()
		moves(t.Context(), term, call("a", "x", "1"), tc.progress, tc.total, "")
		s.shows(tc.want)
		term.Close()
	}
}

func TestBarsFitANarrowTerminal(t *testing.T) {
	s := newScreen(t, 24, 10)
	term := s.terminal()
	moves(t.Context(), term, call("a-server", "a-long-tool-name", "1"), 1, 2, "and a message")
	s.shows("a-serve…  ███░░░   50%…")
	s.resize(10, 10)
	moves(t.Context(), term, call("a-server", "a-long-tool-name", "1"), 1, 2, "and a message")
	s.shows("a-…   50…")
	term.Close()
}

func TestFloodOfProgressIsNotAFloodOfOutput(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	for i := range 10_000 {
		moves(t.Context(), term, call("a", "x", "1"), float64(i), 10_000, "")
	}
	s.sees("9999/10000")
	term.Close()
	s.lacks("9999/10000")
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.raw.Len(); n > 20_000 {
		t.Errorf("10,000 events made %d bytes of output", n)
	}
}

func TestEventsDuringAForm(t *testing.T) {
	s := newScreen(t, 80, 30)
	term := s.terminal()
	index := call("files", "index", "1")
	moves(t.Context(), term, index, 1, 10, "")
	s.sees("10%")
	c := ask(t.Context(), term, form("Who?", `{"properties": {"name": {"type": "string"}}}`))
	s.sees("(1 of 2)")
	s.lacks("10%")
	moves(t.Context(), term, index, 2, 10, "")
	moves(t.Context(), term, call("files", "other", "2"), 1, 2, "")
	moves(t.Context(), term, call("files", "other", "2"), 2, 2, "")
	for i := range 1010 {
		logs(term, index, "info", i)
	}
	fmt.Fprintln(term, "of the program")
	s.types("Ada", enter)
	text := s.sees("> Send")
	for _, early := range []string{"files/index", "files/other", "of the program"} {
		if strings.Contains(text, early) {
			t.Errorf("%q is shown with the form:\n%s", early, text)
		}
	}
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}})
	s.until("what waited", func(text string) bool {
		return strings.HasSuffix(text, strings.Join([]string{
			"files/index: info: 999", "of the program", "10 more lines were discarded while the form was shown",
			`library/issue_card asked "Who?": accepted`, "files/index  ████░░░░░░░░░░░░░░░░   20%  2/10",
		}, "\n"))
	})
	term.Close()
	s.lacks("20%")
}

func TestVisitURL(t *testing.T) {
	s := newScreen(t, 60, 24)
	term := s.terminal()
	url := func(address string) *mcp.ElicitParams {
		return &mcp.ElicitParams{Mode: "url", Message: "Please pay", URL: address, ElicitationID: "1"}
	}
	c := ask(t.Context(), term, url("https://pay.example.com/checkout?s=1"))
	text := s.sees("> Decline")
	want := strings.Join([]string{
		"library asks you to visit an address",
		"  host:    pay.example.com",
		"  address: https://pay.example.com/checkout?s=1",
		"library/issue_card asks",
		"Please pay",
	}, "\n")
	if !strings.HasPrefix(text, want) {
		t.Errorf("the screen shows\n%s\nwant first\n%s", text, want)
	}
	s.types(up)
	s.sees("> Accept")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept"})
	if text := s.sees("accepted"); !strings.Contains(text, "https://pay.example.com/checkout?s=1") {
		t.Errorf("the address is gone:\n%s", text)
	}

	for _, host := range []string{"http://pаypal.com/", "http://xn--pypal-4ve.com/"} { // a Cyrillic a
		s := newScreen(t, 80, 24)
		c := ask(t.Context(), s.terminal(), url(host))
		s.sees("check the spelling")
		s.sees("> Decline")
		s.types(escape)
		expect(t, c, &mcp.ElicitResult{Action: "cancel"})
	}

	for _, bad := range []string{
		"javascript:alert(1)", "/relative", "https:///path", "https://user:secret@example.com/", "https://example.com/\u202egpj.exe",
		"https://example.com/a b", "https://example.com/\x1b[2J", "https://example.com/" + strings.Repeat("a", 2048),
	} {
		got := <-ask(t.Context(), term, url(bad))
		if got.err == nil || strings.Contains(got.err.Error(), "secret") {
			t.Errorf("%q: answer %+v, %v; want an error without secrets", bad, got.res, got.err)
		}
	}
	if diff := cmp.Diff(0, strings.Count(s.text(), "secret")); diff != "" {
		t.Error("the screen shows a password")
	}
}
