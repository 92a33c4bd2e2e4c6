package testserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addSeeds adds the tools that documents about MCP callbacks like to show.
func (s *Server) addSeeds() {
	type steps struct {
		Steps int `json:"steps,omitempty" jsonschema:"how many steps, 5 by default"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "long_running_task", Description: "Reports progress and logs for each step."},
		func(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, any, error) {
			if in.Steps == 0 {
				in.Steps = 5
			}
			for i := 1; i <= in.Steps; i++ {
				if token := req.Params.GetProgressToken(); token != nil {
					if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
						ProgressToken: token,
						Progress:      float64(i),
						Total:         float64(in.Steps),
						Message:       fmt.Sprintf("Step %d completed", i),
					}); err != nil {
						return nil, nil, err
					}
				}
				if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{
					Level: "info", Logger: "task", Data: fmt.Sprintf("%d%% completed", i*100/in.Steps),
				}); err != nil {
					return nil, nil, err
				}
			}
			return text("%d", in.Steps), nil, nil
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "collect_user_info", Description: "Asks for a name and an age."},
		func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			answer, pending, err := ask(ctx, req, &mcp.ElicitParams{
				Message: "Please provide your information",
				RequestedSchema: json.RawMessage(`{"type":"object","title":"UserInfo","properties":{
					"name":{"type":"string","title":"Name"},"age":{"type":"integer","title":"Age"}},"required":["name","age"]}`),
			})
			switch {
			case err != nil || pending != nil:
				return pending, nil, err
			case answer.Action == "accept":
				return text("Hello %v, you are %v years old.", answer.Content["name"], answer.Content["age"]), nil, nil
			case answer.Action == "decline":
				return text("Information not provided"), nil, nil
			}
			return text("Operation cancelled"), nil, nil
		})
	mcp.AddTool(s.Server, &mcp.Tool{Name: "issue_card", Description: "Issue a new library card."},
		func(ctx context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
			answer, pending, err := ask(ctx, req, &mcp.ElicitParams{
				Message: "What name should go on the card?",
				RequestedSchema: json.RawMessage(`{"type":"object","title":"CardHolder","properties":{
					"name":{"type":"string","title":"Name"}},"required":["name"]}`),
			})
			switch {
			case err != nil || pending != nil:
				return pending, nil, err
			case answer.Action == "accept":
				return text("Card issued to %v.", answer.Content["name"]), nil, nil
			}
			return text("No card issued."), nil, nil
		})
	type declared struct {
		Result  []string `json:"result"`
		Details []string `json:"details,omitempty"`
	}
	type which struct {
		Details bool `json:"details,omitempty" jsonschema:"also what is inside the features"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "client_features", Description: "Which optional features the connected client declared."},
		func(_ context.Context, req *mcp.CallToolRequest, in which) (*mcp.CallToolResult, declared, error) {
			names, details := features(req)
			if !in.Details {
				details = nil
			}
			return nil, declared{names, details}, nil
		})
}
