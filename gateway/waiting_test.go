package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/langchaingo-mcp/mcpadapters/gateway"
)

// Who leaves many questions open takes no place from other users.
func TestWaitingCallsOfAUser(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	gw := must(gateway.New(connections, &gateway.Options{MaxWaiting: 3, MaxWaitingPerClient: 1}))(t)
	srv := httptest.NewServer(auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}, nil)(gw.Handler()))
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
		srv.CloseClientConnections()
		srv.Close()
	})
	ask := func(user, more string) string {
		t.Helper()
		return postAs(t, srv.URL, stateless, user, strings.Replace(callAsk, "%", more, 1))
	}
	stateOf := func(text string) string {
		t.Helper()
		_, rest, ok := strings.Cut(text, `"requestState":"`)
		if !ok {
			t.Fatalf("no question in %s", text)
		}
		state, _, _ := strings.Cut(rest, `"`)
		return state
	}
	alice := stateOf(ask("alice", ""))
	if text := ask("alice", ""); !strings.Contains(text, "too many of your calls wait") {
		t.Errorf("a call beyond MaxWaitingPerClient: %s", text)
	}
	stateOf(ask("bob", ""))
	answer := func(state string) string {
		return `,"requestState":"` + state + `","inputResponses":{"question":{"action":"accept","content":{"word":"yes"}}}`
	}
	if text := ask("bob", answer(alice)); !strings.Contains(text, "no call waits") {
		t.Errorf("another's question: %s", text)
	}
	if text := ask("alice", answer(alice)); !strings.Contains(text, "accept: yes") {
		t.Errorf("the answer gives %s", text)
	}
	stateOf(ask("alice", "")) // there is a place again
	stateOf(ask("carol", ""))
	if text := ask("dave", ""); !strings.Contains(text, "too many calls wait") {
		t.Errorf("a call beyond MaxWaiting: %s", text)
	}
}

// Where each call has a session of its own, calls do not make the lists be asked
// for again.
func TestListsAreNotAskedForByEachCall(t *testing.T) {
	t.Parallel()
	connections, servers := upstream()
	g := newHouse(t, wires[3], connections, nil).enter(t, "alice")
	for range 3 {
		g.call(t.Context(), "old_echo", "t", map[string]any{"text": "a"})
	}
	before, _ := servers["old"].Received("tools/list")
	for range 5 {
		g.call(t.Context(), "old_echo", "t", map[string]any{"text": "a"})
	}
	if after, _ := servers["old"].Received("tools/list"); after != before || before == 0 {
		t.Errorf("the tools were listed %d times, and %d more by 5 calls", before, after-before)
	}
}
