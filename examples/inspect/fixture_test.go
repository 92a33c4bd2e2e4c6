package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// png is the beginning of a file, which is enough to tell what it is.
var png = []byte("\x89PNG\r\n\x1a\n\x00\xff")

// library is a server with something of everything. Its waiting tool tells on
// the channel that it runs, and ends with the test at the latest, since a
// client that closes right after a call was cancelled may close before the
// server has heard of that.
func library(t testing.TB, waiting chan<- struct{}) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.2.3"}, &mcp.ServerOptions{Instructions: "Be quiet."})
	tool := func(name, description, schema string, handler func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}, handler)
	}
	const nothing = `{"type": "object"}`
	tool("search", "Finds books.\n\nThis is a second paragraph.", `{
		"type": "object",
		"properties": {
			"text": {"type": "string"},
			"limit": {"type": "integer", "default": 10},
			"order": {"enum": ["title", "year"]},
			"authors": {"type": "array", "items": {"type": "object", "properties": {"first": {"type": "string"}, "last": {"type": "string"}}, "required": ["last"]}}
		},
		"required": ["text"]
	}`, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("found %s", req.Params.Arguments), nil
	})
	tool("cover", "The picture on a book.", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "Here it is:"},
			&mcp.ImageContent{MIMEType: "image/png", Data: png},
		}}, nil
	})
	tool("count", "How many books there are.", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: "A few."}},
			StructuredContent: map[string]any{"books": 3},
		}, nil
	})
	tool("burn", "Fails.", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res := said("we do not burn books")
		res.IsError = true
		return res, nil
	})
	tool("refuse", "Is answered by an error of the protocol.", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("not today")
	})
	tool("shelve", "Reports progress and logs.", nothing, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "first shelf",
		})
		return said("done"), errors.Join(err, req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Logger: "dust", Data: "a lot of it"}))
	})
	tool("card", "Asks for a name.", nothing, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: json.RawMessage(`{
			"type": "object",
			"properties": {"name": {"type": "string"}, "colour": {"type": "string", "default": "red"}},
			"required": ["name", "colour"]
		}`)})
		if err != nil {
			return nil, err
		}
		return said("%s %v %v", answer.Action, answer.Content["name"], answer.Content["colour"]), nil
	})
	tool("wait", "Never ends.", nothing, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case waiting <- struct{}{}:
		default:
		}
		select {
		case <-ctx.Done():
		case <-t.Context().Done():
		}
		return nil, errors.New("nobody waits any more")
	})

	s.AddPrompt(&mcp.Prompt{Name: "review", Description: "Reviews a book.", Arguments: []*mcp.PromptArgument{
		{Name: "title", Required: true}, {Name: "stars"},
	}}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf("Review %q, %s stars.", req.Params.Arguments["title"], req.Params.Arguments["stars"])}},
			{Role: "assistant", Content: &mcp.ImageContent{MIMEType: "image/png", Data: png}},
		}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "book://1", Name: "one", MIMEType: "text/plain", Size: 11, Description: "The first\nbook."},
		contents(&mcp.ResourceContents{URI: "book://1", MIMEType: "text/plain", Text: "Once upon\na time"}))
	s.AddResource(&mcp.Resource{URI: "book://2", Name: "two"}, contents(
		&mcp.ResourceContents{URI: "book://2", MIMEType: "image/png", Blob: png},
		&mcp.ResourceContents{URI: "book://2/text", MIMEType: "text/plain", Blob: []byte("in bytes")},
	))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "book://{n}", Name: "any"}, contents())
	return s
}

// twin is a server with a tool that the library has too.
func twin() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "twin", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "search", Description: "Finds twins.", InputSchema: json.RawMessage(`{"type": "object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said("found the twin"), nil
		})
	return s
}

// evil is a server all of whose texts are made to do something to a terminal.
func evil() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: hostile, Version: hostile}, nil)
	s.AddTool(&mcp.Tool{
		Name:        "evil",
		Description: hostile,
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{hostile: map[string]any{"enum": []any{hostile}}}},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Logger: hostile, Data: hostile}); err != nil {
			return nil, err
		}
		res := said("%s", hostile)
		res.StructuredContent = map[string]any{hostile: hostile}
		res.Content = append(res.Content, &mcp.ResourceLink{URI: "x://y", Name: hostile})
		return res, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: hostile, Description: hostile, Arguments: []*mcp.PromptArgument{{Name: hostile}}},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, errors.New(hostile)
		})
	s.AddResource(&mcp.Resource{URI: "x://y", Name: hostile, Description: hostile, MIMEType: hostile},
		contents(&mcp.ResourceContents{URI: "x://y", MIMEType: hostile, Text: hostile}))
	return s
}

// hostile has an escape sequence, one of the C1 controls, a bell, a carriage
// return, a mark that turns the direction of text, and DEL.
const hostile = "a\x1b[31mb\u009b2Jc\ad\re\u202ef\x7fg"

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func contents(list ...*mcp.ResourceContents) mcp.ResourceHandler {
	return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: list}, nil
	}
}

// serve serves by streamable HTTP until the test ends and returns the URL.
func serve(t testing.TB, s *mcp.Server) string {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	srv := httptest.NewServer(handler)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}
