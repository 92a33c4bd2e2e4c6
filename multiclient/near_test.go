package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A name that is not there is answered with those that come near.
func TestNamesThatComeNear(t *testing.T) {
	t.Parallel()
	client := newClient(t, config.Connections{"srv": config.InMemory{Server: testserver.New("srv").Server}}, &multiclient.Options{ToolNamePrefix: true})
	for name, want := range map[string]string{
		"srv_ecco": `(did you mean "srv_echo"?)`, "echo": `(did you mean "srv_echo"?)`, "SRV-Echo": `(did you mean "srv_echo"?)`, "qqqqqqqqqq": "",
	} {
		_, err := client.Tool(t.Context(), name)
		if !errors.Is(err, multiclient.ErrUnknownTool) || !strings.HasSuffix(err.Error(), "no server lists a tool of this name"+strings.TrimSuffix(" "+want, " ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The server's own names have no prefix.
	_, err := client.CallTool(t.Context(), "srv", "srv_echo", nil)
	var refused *jsonrpc.Error
	if !errors.Is(err, multiclient.ErrRefused) || !errors.As(err, &refused) || !strings.Contains(err.Error(), `the server lists no tool of this name (did you mean "echo"?): `) {
		t.Errorf("by its prefixed name: %v", err)
	}
	if _, err := client.CallTool(t.Context(), "srv", "qqqqqqqqqq", nil); !errors.Is(err, multiclient.ErrRefused) || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("by a name like no other: %v", err)
	}
}

// What a prompt takes is known once it has been listed.
func TestPromptArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	asked := make(chan map[string]string, 10)
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	offer := func(arguments ...*mcp.PromptArgument) {
		s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: arguments}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			asked <- req.Params.Arguments
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}, nil
		})
	}
	offer(&mcp.PromptArgument{Name: "name", Required: true}, &mcp.PromptArgument{Name: "title"})
	client := newClient(t, config.Connections{"srv": config.InMemory{Server: s}}, nil)
	get := func(arguments map[string]string) error {
		_, err := client.Prompt(t.Context(), "srv", "greet", arguments)
		return err
	}
	// Not listed yet: the server judges.
	if err := get(map[string]string{"who": "Bob"}); err != nil || len(asked) != 1 {
		t.Fatalf("before it was listed: %v", err)
	}
	<-asked
	list, err := client.Prompts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list[0].Arguments[0].Required = false // the caller's own
	err = get(map[string]string{"nam": "Bob"})
	want := `mcp: server "srv": configure: wrong arguments: prompt "greet": "name" is required but missing, "nam" is unknown; its arguments are "name", "title"`
	if !errors.Is(err, multiclient.ErrBadArguments) || err.Error() != want || len(asked) != 0 {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := get(map[string]string{"name": "Bob"}); err != nil || len(asked) != 1 {
		t.Errorf("the right ones: %v", err)
	}
	<-asked
	// It takes others now, and nobody has listed it since.
	offer(&mcp.PromptArgument{Name: "who"})
	if err := get(map[string]string{"who": "Bob"}); err != nil || len(asked) != 1 {
		t.Errorf("what it takes since: %v", err)
	}
	<-asked
	s.RemovePrompts("greet")
	if err := get(map[string]string{"other": "x"}); !errors.Is(err, multiclient.ErrRefused) {
		t.Errorf("of a prompt that has gone: %v", err)
	}
}
