package testserver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAnnouncing adds the tools announce, which makes the server announce that
// a list ("tools", "prompts", "resources") or a resource (by its URI) has
// changed, or ("no more") ends all that it announces on 2026-07-28, and received,
// which returns how often a method was received, and the log levels that requests
// carried, since the server started.
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
			case "no more":
				s.listening.end()
				return text("ended"), nil, nil
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

// listening are the streams of changes (subscriptions/listen).
type listening struct {
	mu    sync.Mutex
	ended chan struct{}
}

// end ends the streams that are open.
func (l *listening) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		close(l.ended)
		l.ended = nil
	}
}

// serve is the middleware for it.
func (l *listening) serve(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "subscriptions/listen" {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		l.mu.Lock()
		if l.ended == nil {
			l.ended = make(chan struct{})
		}
		ended := l.ended
		l.mu.Unlock()
		go func() {
			select {
			case <-ended:
				cancel()
			case <-ctx.Done():
			}
		}()
		return next(ctx, method, req)
	}
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
