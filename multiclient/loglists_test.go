package multiclient_test

import (
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestLogLevelOfLists(t *testing.T) {
	s := testserver.New("one")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server}}, &multiclient.Options{Callbacks: logging()})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if times, levels := s.Received("tools/list"); times == 0 || levels[0] != "info" {
		t.Errorf("tools/list came %d times with the log levels %q", times, levels)
	}
}

func TestListsOfALeasedSessionWithoutParameters(t *testing.T) {
	for _, version := range []string{stateful, ""} {
		c := newClient(t, config.Connections{"one": config.InMemory{Server: testserver.New("one").Server, Settings: config.Settings{ProtocolVersion: version}}}, &multiclient.Options{Callbacks: logging()})
		cs, release, err := c.Session(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if res, err := cs.ListTools(t.Context(), nil); err != nil || len(res.Tools) == 0 {
			t.Errorf("%v, %v", res, err)
		}
		if res, err := cs.ListPrompts(t.Context(), nil); err != nil || len(res.Prompts) == 0 {
			t.Errorf("%v, %v", res, err)
		}
	}
}
