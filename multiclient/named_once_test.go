package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What a tool, or a loader, makes of an error of the client names the server and
// what was asked for once, also where the model reads it.
func TestErrorsNameServersOnce(t *testing.T) {
	s := testserver.New("one")
	var cut cutter
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: cut.serve(t, s)}},
		&multiclient.Options{Tool: adapters.ToolOptions{TransportErrors: adapters.ErrorsAsText}})
	tool, err := c.Tool(t.Context(), "count")
	if err != nil {
		t.Fatal(err)
	}
	once := func(text string, names ...string) {
		t.Helper()
		for _, name := range append(names, `"one"`) {
			if strings.Count(text, name) != 1 {
				t.Errorf("%s is not there once: %s", name, text)
			}
		}
	}
	cut.cut.Store(2)
	text, err := tool.Call(t.Context(), `{}`)
	if err != nil || !strings.HasPrefix(text, `Error: call failed: tool "count" of server "one": call: answer lost, the tool may have run`) {
		t.Errorf("the model reads %q, %v", text, err)
	}
	once(text, `"count"`)
	_, err = tool.Invoke(t.Context(), nil)
	var e *multiclient.Error
	if !errors.Is(err, multiclient.ErrLost) || !errors.As(err, &e) || e.Tool != "count" {
		t.Fatalf("got %v", err)
	}
	once(err.Error(), `"count"`)
	// The context's end comes before it.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	block, err := c.Tool(t.Context(), "block")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, err := block.Invoke(ctx, nil); ended <- err }()
	receive(t, s.Blocked, "call in flight")
	cancel()
	once(receive(t, ended, "end of the call").Error(), `"block"`)

	_, err = adapters.ResourceLoader[adapters.Splitter]{Reader: c, Resources: []adapters.ResourceRef{{Server: "one", URI: "memo://none"}}}.Load(t.Context())
	if !errors.Is(err, adapters.ErrReadFailed) {
		t.Fatalf("got %v", err)
	}
	once(err.Error(), `resource "memo://none"`)
}
