package multiclient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("a page\n<html>\x1b[31m" + strings.Repeat("ü", 2000))
	e := &multiclient.Error{
		Kind: multiclient.ErrRefused, Phase: multiclient.PhaseCall, Server: "a\n", Tool: "t\x00", Status: 418, Err: cause, Detail: "x\ny",
	}
	got := e.Error()
	if !strings.HasPrefix(got, `multiclient: server "a\n": tool "t\x00": call: refused by the server: HTTP status 418: a page; <html> [31mü`) {
		t.Errorf("got %q", got)
	}
	if !strings.HasSuffix(got, "ü...: x\ny") || len(got) > 1200 || strings.ContainsAny(got, "\x1b\x00") {
		t.Errorf("%d bytes, %q", len(got), got)
	}
	if !errors.Is(e, cause) || !errors.Is(e, multiclient.ErrRefused) || errors.Is(e, multiclient.ErrLost) {
		t.Error("the cause or the kind is not found")
	}
	if all := multiclient.ServerErrors(errors.Join(e, fmt.Errorf("wrapped: %w", e), errors.New("other"))); len(all) != 2 {
		t.Errorf("%d errors of servers, want 2", len(all))
	}
	if multiclient.ServerErrors(nil) != nil {
		t.Error("no error has errors of servers")
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	_, err := multiclient.New(nil, &multiclient.Options{
		ConnectTimeout: -1, ListTimeout: -1, ToolNameSeparator: "!", Collisions: "maybe",
	})
	for _, want := range []string{"ConnectTimeout", "ListTimeout", "!"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
}
