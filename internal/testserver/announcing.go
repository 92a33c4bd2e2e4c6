package testserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAnnouncing adds the tools announce, which makes the server announce that
// a list ("tools", "prompts", "resources") or a resource (by its URI) has
// changed, and received, which returns how often a method was received, and
// the log levels that requests carried, since the server started.
func (s *Server) addAnnouncing() {
	type announce struct {
		What string `json:"what"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "announce", Description: "Announces that something has changed."},
		func(ctx context.Context, _ *mcp.CallToolRequest, in announce) (*mcp.CallToolResult, any, error) {
			switch in.What {
			case "tools":
				s.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("new"), nil })
			case "prompts":
				s.AddPrompt(&mcp.Prompt{Name: "new"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
					return &mcp.GetPromptResult{}, nil
				})
			case "resources":
				s.AddResource(&mcp.Resource{Name: "new", URI: "file:///new"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
					return &mcp.ReadResourceResult{}, nil
				})
			default:
				return nil, nil, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: in.What})
			}
			return text("announced"), nil, nil
		})
	type received struct {
		Method string `json:"method"`
	}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "received", Description: "What the server has received."},
		func(_ context.Context, _ *mcp.CallToolRequest, in received) (*mcp.CallToolResult, any, error) {
			times, levels := s.Received(in.Method)
			return text("%d %q", times, levels), nil, nil
		})
}

// Received returns how often a method was received, and the log levels that
// came with it.
func (s *Server) Received(method string) (times int, levels []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times[method], append([]string{}, s.levels[method]...)
}

// note counts what is received.
func (s *Server) note(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		level := ""
		switch p := req.GetParams().(type) {
		case *mcp.SetLoggingLevelParams:
			level = string(p.Level)
		case *mcp.CallToolParamsRaw:
			level = levelOf(p.Meta)
		case *mcp.GetPromptParams:
			level = levelOf(p.Meta)
		case *mcp.ReadResourceParams:
			level = levelOf(p.Meta)
		case *mcp.ListToolsParams:
			if p != nil {
				level = levelOf(p.Meta)
			}
		}
		s.mu.Lock()
		s.times[method]++
		s.levels[method] = append(s.levels[method], level)
		s.mu.Unlock()
		return next(ctx, method, req)
	}
}

func levelOf(meta mcp.Meta) string {
	if level, ok := meta[mcp.MetaKeyLogLevel]; ok {
		return fmt.Sprint(level)
	}
	return ""
}
