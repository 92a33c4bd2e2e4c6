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

// So are the names of servers, and what a server has listed beside its tools.
func TestOtherNamesThatComeNear(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return errors.New("no such thing") },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such thing"}
		},
	})
	s.AddPrompt(&mcp.Prompt{Name: "summarize"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}, nil
	})
	for _, name := range []string{"minutes.md", "agenda.md"} {
		s.AddResource(&mcp.Resource{URI: "notes://team/" + name, Name: name}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return nil, errors.New("torn")
		})
	}
	// Of 2026-07-28 the SDK waits for no answer to a subscription.
	client := newClient(t, config.Connections{"srv": config.InMemory{Server: s, Settings: config.Settings{ProtocolVersion: "2025-11-25"}}}, nil)
	prompt := func(server, name string) error {
		_, err := client.Prompt(t.Context(), server, name, nil)
		return err
	}
	read := func(uri string) error {
		_, err := client.ReadResource(t.Context(), "srv", uri)
		return err
	}
	complete := func(ref mcp.CompleteReference) error {
		_, err := client.Complete(t.Context(), "srv", &mcp.CompleteParams{Ref: &ref})
		return err
	}
	const noHint = ""
	check := func(what string, err error, begins, hint string) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), "multiclient: server "+begins) || !strings.Contains(err.Error(), hint) || hint == noHint && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("before it was listed", prompt("srv", "summarise"), `"srv": prompt "summarise": call: refused`, noHint)
	if _, err := client.Prompts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resources(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("a server", prompt("serv", "summarize"), `"serv": prompt "summarize": lookup: unknown server: no connection has this name`, ` (did you mean "srv"?); there are ["srv"]`)
	check("a prompt", prompt("srv", "summarise"), `"srv": prompt "summarise": call: refused`, `the server lists no prompt of this name (did you mean "summarize"?): `)
	check("a prompt like no other", prompt("srv", "qqqqqqqqqq"), `"srv": prompt "qqqqqqqqqq": call: refused`, noHint)
	check("a resource", read("notes://team/minute.md"), `"srv": resource "notes://team/minute.md": call: refused`, `the server lists no resource of this URI (did you mean "notes://team/minutes.md"?): `)
	check("another folder", read("notes://other/agenda.md"), `"srv": resource "notes://other/agenda.md": call: refused`, `(did you mean "notes://team/agenda.md"?): `)
	check("a resource like no other", read("notes://team/qqqqqqqqqq"), `"srv": resource "notes://team/qqqqqqqqqq": call: refused`, noHint)
	check("one that is there", read("notes://team/agenda.md"), `"srv": resource "notes://team/agenda.md": call: refused`, noHint)
	check("of a subscription", client.Subscribe(t.Context(), "srv", "notes://team/minute.md"), `"srv": resource "notes://team/minute.md": call: refused`, `(did you mean "notes://team/minutes.md"?)`)
	check("of a completion", complete(mcp.CompleteReference{Type: "ref/prompt", Name: "summarise"}), `"srv": completion for prompt "summarise": call: refused`, `(did you mean "summarize"?)`)
	check("of a template", complete(mcp.CompleteReference{Type: "ref/resource", URI: "notes://{name}"}), `"srv": completion for resource "notes://{name}": call: refused`, noHint)
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
	want := `multiclient: server "srv": prompt "greet": call: wrong arguments: "name" is required but missing, "nam" is unknown; its arguments are "name", "title"`
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
