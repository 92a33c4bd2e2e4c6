package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// callTool returns the handler of a tool.
func (p *peer) callTool(tool *adapters.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, err := decodeArguments(req.Params.Arguments)
		if err != nil {
			return nil, err
		}
		r := round{tool.ServerName(), "tools/call\x00" + req.Params.Name, req.Params.RequestState, req.Params.InputResponses, req.Params.Meta}
		return serve(ctx, p, req, r, func(ctx context.Context) (*mcp.CallToolResult, error) {
			res, err := tool.Invoke(ctx, arguments)
			if err != nil {
				return nil, err
			}
			p.features.sawLinks(tool.ServerName(), res.Content)
			// Without what the SDK noted about how it came.
			return &mcp.CallToolResult{Meta: foreignMeta(res.Meta), Content: res.Content, StructuredContent: res.StructuredContent, IsError: res.IsError}, nil
		}, func(questions mcp.InputRequestMap, state string) *mcp.CallToolResult {
			return &mcp.CallToolResult{InputRequests: questions, RequestState: state}
		})
	}
}

// decodeArguments keeps numbers as they are written.
func decodeArguments(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	var arguments map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the arguments are no JSON object"}
	}
	return arguments, nil
}

// getPrompt returns the handler of a prompt, which its server calls name.
func (p *peer) getPrompt(server, name string) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		r := round{server, "prompts/get\x00" + req.Params.Name, req.Params.RequestState, req.Params.InputResponses, req.Params.Meta}
		return serve(ctx, p, req, r, func(ctx context.Context) (*mcp.GetPromptResult, error) {
			res, err := p.client.Prompt(ctx, server, name, req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			for _, m := range res.Messages {
				if m != nil {
					p.features.sawLinks(server, []mcp.Content{m.Content})
				}
			}
			return &mcp.GetPromptResult{Meta: foreignMeta(res.Meta), Description: res.Description, Messages: res.Messages}, nil
		}, func(questions mcp.InputRequestMap, state string) *mcp.GetPromptResult {
			return &mcp.GetPromptResult{InputRequests: questions, RequestState: state}
		})
	}
}

// readResource is the handler of every resource.
func (p *peer) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	server, ok := p.features.serverOf(uri)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	r := round{server, "resources/read\x00" + uri, req.Params.RequestState, req.Params.InputResponses, req.Params.Meta}
	return serve(ctx, p, req, r, func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		res, err := p.client.ReadResource(ctx, server, uri)
		if err != nil {
			return nil, err
		}
		own := &mcp.ReadResourceResult{Meta: foreignMeta(res.Meta), Contents: []*mcp.ResourceContents{}}
		for _, c := range res.Contents {
			if c != nil {
				own.Contents = append(own.Contents, c)
			}
		}
		return own, nil
	}, func(questions mcp.InputRequestMap, state string) *mcp.ReadResourceResult {
		return &mcp.ReadResourceResult{InputRequests: questions, RequestState: state}
	})
}

// complete passes on what a client asks to complete.
func (p *peer) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref := *req.Params.Ref
	var server string
	var ok bool
	if ref.Type == "ref/prompt" {
		server, ref.Name, ok = p.features.prompt(ref.Name)
	} else {
		server, ok = p.features.serverOf(ref.URI)
	}
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such prompt or resource template"}
	}
	ctx = context.WithValue(ctx, originKey{}, newOrigin(ctx, req, req.Params.Meta))
	res, err := p.client.Complete(ctx, server, &mcp.CompleteParams{Argument: req.Params.Argument, Context: req.Params.Context, Ref: &ref, Meta: foreignMeta(req.Params.Meta)})
	if err != nil {
		return nil, wireError(err)
	}
	return &mcp.CompleteResult{Meta: foreignMeta(res.Meta), Completion: res.Completion}, nil
}
