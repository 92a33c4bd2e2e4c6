package testserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the first version of the protocol where a server asks by
// returning the question.
const stateless = "2026-07-28"

// ask asks the user by the means of the session's version of the protocol. If
// pending is not nil, it is what the tool has to return now; the tool is
// called again with the answer.
func ask(ctx context.Context, req *mcp.CallToolRequest, params *mcp.ElicitParams) (answer *mcp.ElicitResult, pending *mcp.CallToolResult, err error) {
	if init := req.Session.InitializeParams(); init != nil && init.ProtocolVersion < stateless {
		answer, err = req.Session.Elicit(ctx, params)
		return answer, nil, err
	}
	response, ok := req.Params.InputResponses["question"]
	if !ok {
		params.Mode = "form"
		return nil, &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"question": params},
			RequestState:  "state of " + req.Params.Name,
		}, nil
	}
	answer, ok = response.(*mcp.ElicitResult)
	if !ok {
		return nil, nil, fmt.Errorf("the answer is a %T", response)
	}
	if want := "state of " + req.Params.Name; req.Params.RequestState != want {
		return nil, nil, fmt.Errorf("request state %q came back as %q", want, req.Params.RequestState)
	}
	return answer, nil, nil
}

// addAsking adds tools that differ in name only, to see whether their events
// can be told apart: ask_0 to ask_7 ask the user for a word and return it, and
// tell_0 to tell_7 log and report progress n times, with their own names.
func (s *Server) addAsking() {
	type which struct {
		ID string `json:"id" jsonschema:"comes back in what the tool sends"`
		N  int    `json:"n,omitempty"`
	}
	for i := range 8 {
		name, teller := fmt.Sprintf("ask_%d", i), fmt.Sprintf("tell_%d", i)
		mcp.AddTool(s.Server, &mcp.Tool{Name: name, Description: "Asks for a word."},
			func(ctx context.Context, req *mcp.CallToolRequest, in which) (*mcp.CallToolResult, any, error) {
				answer, pending, err := ask(ctx, req, &mcp.ElicitParams{
					Message:         name + " " + in.ID,
					RequestedSchema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
				})
				if err != nil || pending != nil {
					return pending, nil, err
				}
				return text("%s: %v", answer.Action, answer.Content["word"]), nil, nil
			})
		mcp.AddTool(s.Server, &mcp.Tool{Name: teller, Description: "Logs and reports progress."},
			func(ctx context.Context, req *mcp.CallToolRequest, in which) (*mcp.CallToolResult, any, error) {
				for i := 1; i <= in.N; i++ {
					message := fmt.Sprintf("%s %s %d", teller, in.ID, i)
					if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: message}); err != nil {
						return nil, nil, err
					}
					if token := req.Params.GetProgressToken(); token != nil {
						if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
							ProgressToken: token, Progress: float64(i), Total: float64(in.N), Message: message,
						}); err != nil {
							return nil, nil, err
						}
					}
				}
				return text("told"), nil, nil
			})
	}
}
