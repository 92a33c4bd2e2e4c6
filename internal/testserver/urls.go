package testserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addURLs adds the tools authorize, which wants URLs to be visited before it
// runs (error -32042), and complete, which says that they have been.
//
// The ids of the elicitations are "id/1" and so on. With early, authorize says
// that they are completed before it asks for them; with again, it asks that
// many times.
func (s *Server) addURLs() {
	type authorize struct {
		ID    string `json:"id"`
		URLs  int    `json:"urls,omitempty"`
		Again int    `json:"again,omitempty"`
		Early bool   `json:"early,omitempty"`
	}
	asked := map[string]int{}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "authorize", Description: "Wants URLs to be visited first."},
		func(ctx context.Context, req *mcp.CallToolRequest, in authorize) (*mcp.CallToolResult, any, error) {
			s.mu.Lock()
			asked[in.ID]++
			times := asked[in.ID]
			s.mu.Unlock()
			if times > max(1, in.Again) {
				return text("authorized %s, run %d", in.ID, s.Runs.Add(1)), nil, nil
			}
			list := []*mcp.ElicitParams{}
			for i := 1; i <= max(1, in.URLs); i++ {
				p := &mcp.ElicitParams{
					Mode: "url", Message: "authorize " + in.ID,
					URL: fmt.Sprintf("https://visit.example/%s/%d", in.ID, i), ElicitationID: fmt.Sprintf("%s/%d", in.ID, i),
				}
				list = append(list, p)
				if in.Early {
					if err := req.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: p.ElicitationID}); err != nil {
						return nil, nil, err
					}
				}
			}
			data, err := json.Marshal(map[string]any{"elicitations": list})
			if err != nil {
				return nil, nil, err
			}
			return nil, nil, &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "visit the URLs first", Data: data}
		})
	type complete struct {
		ID string `json:"id"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "complete", Description: "Says that a URL has been visited."},
		func(ctx context.Context, req *mcp.CallToolRequest, in complete) (*mcp.CallToolResult, any, error) {
			return text("completed"), nil, req.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: in.ID})
		})
}
