//go:build unix

package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestFormEndsWithItsContext(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	ctx, stop := context.WithCancelCause(t.Context())
	c := ask(ctx, term, form("Who?", `{"properties": {"name": {"type": "string"}}}`))
	s.sees("(1 of 2)")
	waiting := ask(ctx, term, form("And who else?", ""))
	why := errors.New("the call was cancelled")
	stop(why)
	for _, c := range []<-chan answer{c, waiting} {
		if got := <-c; got.res != nil || !errors.Is(got.err, context.Canceled) && !errors.Is(got.err, why) {
			t.Errorf("answer = %v, %v; want the end of the context", got.res, got.err)
		}
	}
	s.sees("no answer")
	s.lacks("(1 of 2)")
	s.restored()
	if got := <-ask(ctx, term, form("Too late?", "")); got.err == nil {
		t.Errorf("answer after the end = %v", got.res)
	}
}

func TestCloseCancelsForms(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	first := ask(t.Context(), term, form("First?", `{"properties": {"name": {"type": "string"}}}`))
	s.sees("First?")
	second := ask(t.Context(), term, form("Second?", `{"properties": {"name": {"type": "string"}}}`))
	if err := term.Close(); err != nil {
		t.Error(err)
	}
	s.lacks("(1 of 2)")
	s.restored()
	expect(t, first, &mcp.ElicitResult{Action: "cancel"})
	expect(t, second, &mcp.ElicitResult{Action: "cancel"})
	expect(t, ask(t.Context(), term, form("Third?", "")), &mcp.ElicitResult{Action: "cancel"})
}

func TestConcurrentFormsAreShownOneAtATime(t *testing.T) {
	const n = 5
	s := newScreen(t, 80, 40)
	term := s.terminal()
	var all sync.WaitGroup
	for i := range n {
		c := ask(t.Context(), term, form(fmt.Sprintf("Question %d?", i), `{"properties": {"p": {"type": "string"}}}`))
		all.Go(func() {
			got := <-c
			if got.err != nil || got.res.Content["p"] != fmt.Sprint(i) {
				t.Errorf("question %d was answered %+v, %v", i, got.res, got.err)
			}
		})
	}
	question := regexp.MustCompile(`(?m)^Question (\d)\?$`)
	for answered := range n {
		text := s.until("the next question", func(text string) bool {
			return strings.Count(text, ": accepted") == answered && strings.Contains(text, "(1 of 2)") && question.MatchString(text)
		})
		found := question.FindAllStringSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%d questions at once:\n%s", len(found), text)
		}
		s.types(found[0][1], enter)
		s.sees("> Send")
		s.types(enter)
	}
	all.Wait()
	s.restored()
}

func TestFormOnATerminalThatGoesAway(t *testing.T) {
	s := newScreen(t, 80, 24)
	c := ask(t.Context(), s.terminal(), form("Who?", `{"properties": {"p": {"type": "string"}}}`))
	s.sees("(1 of 2)")
	s.master.Close()
	if got := <-c; got.err == nil && got.res.Action != "cancel" {
		t.Errorf("answer = %+v, want an error or cancel", got.res)
	}
}
