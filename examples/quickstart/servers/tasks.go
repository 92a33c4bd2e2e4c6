package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var userInfo = json.RawMessage(`{
	"type": "object",
	"title": "UserInfo",
	"properties": {
		"name": {"type": "string", "title": "Name", "minLength": 1},
		"age":  {"type": "integer", "title": "Age", "minimum": 0, "maximum": 130}
	},
	"required": ["name", "age"]
}`)

// Tasks returns a server with a tool that takes its time, a pause for each
// step, and one that asks the user.
func Tasks(pause time.Duration) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tasks", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "collect_user_info", Description: "Ask the user for name and age."}, collectUserInfo)
	mcp.AddTool(s, &mcp.Tool{
		Name:        "long_running_task",
		Description: "A task of several steps that reports its progress. Returns the number of steps.",
	}, longRunningTask(pause))
	return s
}

func collectUserInfo(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	answer, pending, err := ask(req, "Please provide your information", userInfo)
	switch {
	case err != nil || pending != nil:
		return pending, nil, err
	case answer.Action == "accept":
		return text("Hello %v, you are %v years old.", answer.Content["name"], answer.Content["age"]), nil, nil
	case answer.Action == "decline":
		return text("Information not provided"), nil, nil
	default:
		return text("Operation cancelled"), nil, nil
	}
}

type task struct {
	Steps int `json:"steps,omitempty" jsonschema:"how many steps, from 1 to 100; 5 if not given"`
}

func longRunningTask(pause time.Duration) mcp.ToolHandlerFor[task, any] {
	return func(ctx context.Context, req *mcp.CallToolRequest, in task) (*mcp.CallToolResult, any, error) {
		if in.Steps == 0 {
			in.Steps = 5
		}
		if in.Steps < 1 || in.Steps > 100 {
			return nil, nil, fmt.Errorf("%d steps are too few or too many", in.Steps)
		}
		for i := 1; i <= in.Steps; i++ {
			select {
			case <-time.After(pause):
			case <-ctx.Done(): // the client does not wait any more
				return nil, nil, ctx.Err()
			}
			if err := report(ctx, req, i, in.Steps); err != nil {
				return nil, nil, err
			}
		}
		return text("%d", in.Steps), nil, nil
	}
}

// report tells the client about a step in both ways that there are.
func report(ctx context.Context, req *mcp.CallToolRequest, step, steps int) error {
	if token := req.Params.GetProgressToken(); token != nil { // the client wants to know
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Progress:      float64(step),
			Total:         float64(steps),
			Message:       fmt.Sprintf("Step %d completed", step),
		}); err != nil {
			return err
		}
	}
	return req.Session.Log(ctx, &mcp.LoggingMessageParams{
		Level:  "info",
		Logger: "task",
		Data:   fmt.Sprintf("%d%% completed", step*100/steps),
	})
}
