package ask_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/examples/ask"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func field(name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}},"required":[%[1]q]}`, name))
}

// book asks twice, the second time about the first answer.
func book(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	q, err := ask.Begin(req)
	if err != nil {
		return nil, nil, err
	}
	day, pending, err := q.Form(ctx, "day", "For which day?", field("day"))
	if err != nil || pending != nil {
		return pending, nil, err
	}
	if day.Action != "accept" {
		return said("Not booked."), nil, nil
	}
	sure, pending, err := q.Form(ctx, "sure", fmt.Sprintf("Really on %v?", day.Content["day"]), field("answer"))
	if err != nil || pending != nil {
		return pending, nil, err
	}
	return said("Booked for %v: %s, %v.", day.Content["day"], sure.Action, sure.Content["answer"]), nil, nil
}

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func TestBothGenerations(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "booking", Version: "1"}, nil)
			mcp.AddTool(server, &mcp.Tool{Name: "book"}, book)
			call := func(answer func(question string) *mcp.ElicitResult) string {
				t.Helper()
				options := &multiclient.Options{}
				if answer != nil {
					options.Callbacks.OnElicitation = func(_ context.Context, _ callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						return answer(req.Params.Message), nil
					}
				}
				client, err := multiclient.New(config.Connections{"booking": config.InMemory{Server: server, Settings: config.Settings{ProtocolVersion: version}}}, options)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := client.Close(); err != nil {
						t.Error(err)
					}
				}()
				res, err := client.CallTool(t.Context(), "booking", "book", nil)
				if err != nil {
					t.Fatal(err)
				}
				return adapters.ResultText(res, nil)
			}
			if got := call(func(question string) *mcp.ElicitResult {
				if question == "For which day?" {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"day": "Monday"}}
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "to " + question}}
			}); got != "Booked for Monday: accept, to Really on Monday?." {
				t.Errorf("got %q", got)
			}
			if got := call(func(string) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "decline"} }); got != "Not booked." {
				t.Errorf("declined: %q", got)
			}
			if got := call(nil); !strings.Contains(got, "the client does not offer that") {
				t.Errorf("without callbacks: %q", got)
			}
		})
	}
}

func TestForeignState(t *testing.T) {
	for _, params := range []*mcp.CallToolParamsRaw{
		{RequestState: "nonsense"}, {InputResponses: mcp.InputResponseMap{"day": &mcp.ListRootsResult{}}},
	} {
		if _, err := ask.Begin(&mcp.CallToolRequest{Params: params}); err == nil {
			t.Errorf("no error for %+v", params)
		}
	}
}
