package gateway

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestPerCall(t *testing.T) {
	serialized := config.Settings{SessionPolicy: config.SessionSerialized}
	given := config.Connections{
		"stdio": config.Stdio{Command: "x"}, "pointer": &config.Stdio{Command: "x"},
		"sse": config.SSE{URL: "http://x.example"}, "memory": config.InMemory{Server: mcp.NewServer(&mcp.Implementation{Name: "m"}, nil)},
		"custom": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return nil, nil }},
		"http":   &config.StreamableHTTP{URL: "http://x.example"},
		"own":    config.Stdio{Command: "x", Settings: serialized},
	}
	got := map[string]config.SessionPolicy{}
	for name, c := range perCall(given) {
		got[name] = c.Common().SessionPolicy
	}
	want := map[string]config.SessionPolicy{"http": "", "own": config.SessionSerialized}
	for _, name := range []string{"stdio", "pointer", "sse", "memory", "custom"} {
		want[name] = config.SessionPerCall
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policies (-want +got):\n%s", diff)
	}
	if p := given["pointer"].Common().SessionPolicy; p != "" {
		t.Errorf("the caller's own connection was changed to %q", p)
	}
}

func TestGatewayIsPrintedWithoutItsConnections(t *testing.T) {
	g, err := New(config.Connections{"s": config.Stdio{Command: "x", Env: map[string]string{"TOKEN": "planted" + "secret"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, g); got != "Gateway(1 servers)" || strings.Contains(got, "TOKEN") {
			t.Errorf("%s printed something else", verb)
		}
	}
	server, _ := mcp.NewInMemoryTransports()
	if err := g.Run(t.Context(), server); err != ErrClosed {
		t.Errorf("a closed gateway ran: %v", err)
	}
}
