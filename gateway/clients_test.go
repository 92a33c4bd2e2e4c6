package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/gateway"
)

// deaf returns a session with a gateway of a client of 2026-07-28 without
// capabilities.
func deaf(t *testing.T) *mcp.ClientSession {
	connections, _ := upstream()
	h := newHouse(t, wires[3], connections, nil)
	client := mcp.NewClient(&mcp.Implementation{Name: "deaf", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session := must(client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.url}, nil))(t)
	t.Cleanup(func() { session.Close() })
	return session
}

// A client that cannot be asked is not, and its call says what it lacks.
func TestClientsThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	session := deaf(t)
	for tool, says := range map[string]string{
		"old_ask_0": "method not found", // as the server says
		"new_ask_0": "the client does not support elicitation in form mode",
	} {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"id": "x"}})
		said := ""
		switch {
		case err != nil:
			said = err.Error()
		case res.IsError:
			said = res.Content[0].(*mcp.TextContent).Text
		}
		if !strings.Contains(said, says) {
			t.Errorf("%s says %q", tool, said)
		}
	}
}

// A client of 2026-07-28 is told which capability it lacks for what the server
// behind asks, as the protocol says it.
func TestMissingCapabilities(t *testing.T) {
	t.Parallel()
	session := deaf(t)
	for kind, want := range map[string]string{
		"form": `{"elicitation":{"form":{}}}`, "url": `{"elicitation":{"url":{}}}`, "sampling": `{"sampling":{}}`, "roots": `{"roots":{}}`,
	} {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "new_work_0", Arguments: map[string]any{"id": "x", "ask": []string{kind}}})
		var refused *jsonrpc.Error
		if !errors.As(err, &refused) || refused.Code != mcp.CodeMissingRequiredClientCapabilities || string(refused.Data) != `{"requiredCapabilities":`+want+`}` {
			t.Errorf("the error for %s is %#v", kind, err)
		}
	}
}

func TestRootsChangesArePassedOn(t *testing.T) {
	t.Parallel()
	for _, w := range []wire{wires[0], wires[2]} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			connections, servers := upstream()
			h := newHouse(t, w, connections, nil)
			client := mcp.NewClient(&mcp.Implementation{Name: "rooted", Version: "1"}, &mcp.ClientOptions{
				Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true}},
			})
			g := h.enter(t, "alice") // the other client, whose roots stay
			h.connect(t, client)
			before, _ := servers["old"].Received("notifications/roots/list_changed")
			client.AddRoots(&mcp.Root{URI: "file:///new", Name: "new"})
			g.wait("the change at the server", func() bool {
				n, _ := servers["old"].Received("notifications/roots/list_changed")
				return n == before+1
			})
		})
	}
}

// A question that is not answered in time ends its call, whose place is free then.
func TestAnswersThatDoNotCome(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	h := newHouse(t, wires[3], connections, &gateway.Options{MaxWaiting: 1, AnswerTimeout: 20 * time.Millisecond})
	ask := func() (state string) {
		t.Helper()
		text := "too many calls wait"
		for strings.Contains(text, "too many calls wait") { // until the one before is over
			_, text = post(t, h.url, stateless, strings.Replace(callAsk, "%", "", 1))
		}
		_, rest, ok := strings.Cut(text, `"requestState":"`)
		if !ok {
			t.Fatalf("no question in %s", text)
		}
		state, _, _ = strings.Cut(rest, `"`)
		return state
	}
	first := ask()
	ask()
	answer := `,"requestState":"` + first + `","inputResponses":{"question":{"action":"decline"}}`
	if _, text := post(t, h.url, stateless, strings.Replace(callAsk, "%", answer, 1)); !strings.Contains(text, "no call waits") {
		t.Errorf("a late answer gives %s", text)
	}
}

// as adds a user to requests.
type as string

func (user as) RoundTrip(req *http.Request) (*http.Response, error) {
	own := req.Clone(req.Context())
	own.Header.Set("Authorization", "Bearer "+string(user))
	return http.DefaultTransport.RoundTrip(own)
}

// Who knows the id of a session of another user can neither end it nor its calls.
func TestSessionsOfOtherUsers(t *testing.T) {
	t.Parallel()
	connections, servers := upstream()
	gw := must(gateway.New(connections, nil))(t)
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
	client := mcp.NewClient(&mcp.Implementation{Name: "alice", Version: "1"}, nil)
	session := must(client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: srv.URL, HTTPClient: &http.Client{Transport: as("alice")},
	}, &mcp.ClientSessionOptions{ProtocolVersion: stateful}))(t)
	end := func(user as) int {
		req := must(http.NewRequestWithContext(t.Context(), http.MethodDelete, srv.URL, nil))(t)
		req.Header.Set("Mcp-Session-Id", session.ID())
		res := must(user.RoundTrip(req))(t)
		res.Body.Close()
		return res.StatusCode
	}
	failed := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "old_block", Arguments: map[string]any{}})
		failed <- err
	}()
	<-servers["old"].Blocked
	if status := end("bob"); status < 400 {
		t.Errorf("another user has ended the session: status %d", status)
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "old_echo", Arguments: map[string]any{"text": "still here"}})
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "still here" {
		t.Errorf("afterwards a call gives %v, %v", res, err)
	}
	select {
	case <-servers["old"].Cancelled:
		t.Error("another user has cancelled a call")
	default:
	}
	if status := end("alice"); status >= 400 {
		t.Errorf("the user cannot end the session: status %d", status)
	}
	<-servers["old"].Cancelled
	if err := <-failed; err == nil {
		t.Error("a call has outlived its session")
	}
}

// That a URL has been visited is told to the client whose call it is about.
func TestCompletedElicitationsArePassedOn(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	h := newHouse(t, wires[0], connections, nil)
	completed := make(chan string, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "visitor", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
		ElicitationCompleteHandler: func(_ context.Context, req *mcp.ElicitationCompleteNotificationRequest) {
			completed <- req.Params.ElicitationID
		},
	})
	session := h.connect(t, client)
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "old_complete", Arguments: map[string]any{"id": "form-7"}}); err != nil {
		t.Fatal(err)
	}
	if got := <-completed; got != "form-7" {
		t.Errorf("completed is %q", got)
	}
}
