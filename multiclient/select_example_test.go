package multiclient_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// files is a server that does more than an agent should.
func files() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "files"}, nil)
	type where struct {
		Root string `json:"root"`
		Path string `json:"path"`
	}
	for _, verb := range []string{"read", "delete"} {
		mcp.AddTool(s, &mcp.Tool{Name: verb + "_file", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: verb == "read"}},
			func(_ context.Context, _ *mcp.CallToolRequest, in where) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: verb + " " + in.Root + "/" + in.Path}}}, nil, nil
			})
	}
	return s
}

// An agent gets the tools that only read, under another name, and always for the
// folder of its user.
func ExampleSelection() {
	ctx := context.Background()
	client, err := multiclient.New(config.Connections{"files": config.InMemory{Server: files()}}, &multiclient.Options{
		Selection: multiclient.Selection{
			Keep: func(_ string, tool *mcp.Tool) bool { return tool.Annotations != nil && tool.Annotations.ReadOnlyHint },
			Changes: map[string]map[string]adapters.ToolChange{
				"files": {"read_file": {Name: "read_note", Fixed: map[string]any{"root": "/home/ada"}}},
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools, err := client.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range tools {
		text, err := tool.Call(ctx, `{"path": "todo.txt"}`)
		fmt.Println(tool.Name(), "->", text, err)
	}
	_, err = client.CallTool(ctx, "files", "delete_file", map[string]any{"root": "/", "path": "etc"})
	fmt.Println(err)
	// Output:
	// read_note -> read /home/ada/todo.txt <nil>
	// multiclient: server "files": tool "delete_file": call: tool not allowed: Selection.Keep leaves it out
}
