package multiclient_test

import (
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestChangedRootsAreAnnouncedOnSessionsOfOneCaller(t *testing.T) {
	s := testserver.New("one")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server,
		Settings: config.Settings{ProtocolVersion: stateful, SessionPolicy: config.SessionPerCall}}}, &multiclient.Options{Callbacks: answerAll()})
	_, release, err := c.Session(t.Context(), "one") // like that of a call in flight
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	c.RootsChanged()
	eventually(t, func() bool {
		times, _ := s.Received("notifications/roots/list_changed")
		return times == 1
	})
}

func TestChangedRootsAreAnnouncedToEveryIdentity(t *testing.T) {
	s := testserver.New("one")
	c := newPersonal(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: own(config.Settings{ProtocolVersion: stateful})}},
		&multiclient.Options{Callbacks: answerAll()})
	for _, user := range []string{"ada", "bob"} {
		if _, err := c.CallTool(as(t.Context(), user), "one", "echo", map[string]any{"text": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	c.RootsChanged()
	eventually(t, func() bool {
		times, _ := s.Received("notifications/roots/list_changed")
		return times == 2
	})
}
