package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/gateway"
)

func post(t *testing.T, url, version, body string) (int, string) {
	t.Helper()
	return send(t, url, version, "", body)
}

func postAs(t *testing.T, url, version, user, body string) string {
	t.Helper()
	_, text := send(t, url, version, user, body)
	return text
}

func send(t *testing.T, url, version, user, body string) (int, string) {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if user != "" {
		req.Header.Set("Authorization", "Bearer "+user)
	}
	if version != "" {
		req.Header.Set("Mcp-Protocol-Version", version)
		req.Header.Set("Mcp-Method", "tools/call")
		req.Header.Set("Mcp-Name", "old_ask_0")
	}
	res := must(http.DefaultClient.Do(req))(t)
	defer res.Body.Close()
	text := must(io.ReadAll(res.Body))(t)
	return res.StatusCode, string(text)
}

const callAsk = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"old_ask_0","arguments":{"id":"x"},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}%}}`

// A state leads to one call, once, and only for what it was given for.
func TestRequestStates(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	h := newHouse(t, wires[3], connections, &gateway.Options{MaxWaiting: 1})
	status, text := post(t, h.url, stateless, strings.Replace(callAsk, "%", "", 1))
	_, rest, ok := strings.Cut(text, `"requestState":"`)
	state, _, _ := strings.Cut(rest, `"`)
	if status != http.StatusOK || !ok || len(state) < 20 {
		t.Fatalf("status %d: %s", status, text)
	}
	answer := func(state, tool string) string {
		body := strings.Replace(callAsk, "%", `,"requestState":"`+state+`","inputResponses":{"question":{"action":"accept","content":{"word":"yes"}}}`, 1)
		_, text := post(t, h.url, stateless, strings.Replace(body, "old_ask_0", tool, 1))
		return text
	}
	if _, text := post(t, h.url, stateless, strings.Replace(callAsk, "%", "", 1)); !strings.Contains(text, "too many calls wait") {
		t.Errorf("a call beyond MaxWaiting: %s", text)
	}
	if text := answer("A"+state[1:]+"x", "old_ask_0"); !strings.Contains(text, "no call waits") {
		t.Errorf("a guessed state: %s", text)
	}
	if text := answer(state, "old_ask_0"); !strings.Contains(text, "accept: yes") {
		t.Errorf("the answer gives %s", text)
	}
	if text := answer(state, "old_ask_0"); !strings.Contains(text, "no call waits") {
		t.Errorf("the second answer gives %s", text)
	}
}

func TestMaxSessions(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	h := newHouse(t, wires[2], connections, &gateway.Options{MaxSessions: 1})
	// What is no handshake holds no session.
	for range 3 {
		if status, _ := post(t, h.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status == http.StatusServiceUnavailable {
			t.Fatal("no session for a request that is none")
		}
	}
	g := h.enter(t, "alice")
	status, _ := post(t, h.url, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if status != http.StatusServiceUnavailable {
		t.Errorf("the second session has status %d", status)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	// The session ends with its connections, a little later.
	for status == http.StatusServiceUnavailable {
		status, _ = post(t, h.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}
	second := h.enter(t, "bob")
	if _, err := second.ListTools(t.Context(), &mcp.ListToolsParams{}); err != nil {
		t.Error(err)
	}
}

// A gateway that is closed says so, rather than that there is no room.
func TestClosedGatewayOverHTTP(t *testing.T) {
	t.Parallel()
	gw := must(gateway.New(nil, nil))(t)
	srv := httptest.NewServer(gw.Handler())
	defer srv.Close()
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"", stateless} {
		status, text := post(t, srv.URL, version, callAsk)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, "the gateway is closed") {
			t.Errorf("version %q: status %d: %s", version, status, text)
		}
	}
}
