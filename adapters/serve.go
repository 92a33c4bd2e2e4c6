package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"
)

// AddTool serves a tool of langchaingo as a tool of an MCP server, in place of
// one of the same name, if there is one. A name that is not legal for a tool is
// made so as [AssignNames] does.
//
// Of a [*Tool] everything is served: its exposed name, what its server says of
// it, annotations and output schema included, and the whole result, images and
// structured content too. schema takes the place of its input schema unless it
// is nil. Its arguments are passed on unchecked. A JSON-RPC error of its server
// is passed on as it is.
//
// Any other tool has one argument "input", a string, if schema is nil, and
// gets just that string. Otherwise schema is the JSON schema of an object: what
// [mcp.Tool.InputSchema] may hold. Arguments are then checked against it, and
// the tool gets them as compact JSON. What it returns is the text of the result.
//
// An error of the tool is a result with IsError set, which models read, unless
// ctx has ended. A panic is too, but what it says stays here. Within the call
// [ReportProgress] reaches the client that made it.
//
// An error of AddTool is an [*Error] of kind [ErrBadOption]; nothing is served
// then.
func AddTool(server *mcp.Server, tool tools.Tool, schema any) error {
	if server == nil || isNil(tool) {
		return &Error{Kind: ErrBadOption, Err: errors.New("AddTool needs a server and a tool")}
	}
	definition, handler, err := served(tool, schema)
	if err == nil {
		err = recovered(func() { server.AddTool(definition, handler) })
	}
	if err != nil {
		return &Error{Kind: ErrBadOption, Tool: tool.Name(), Err: err}
	}
	return nil
}

// recovered turns a panic, by which the SDK refuses a definition, into an error.
func recovered(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	f()
	return nil
}

// served returns what a server needs to offer the tool.
func served(tool tools.Tool, schema any) (*mcp.Tool, mcp.ToolHandler, error) {
	name := tool.Name()
	names, err := AssignNames([]Named{{Tool: name}}, NameOptions{})
	if err != nil {
		return nil, nil, err
	}
	definition := &mcp.Tool{Name: names[0], Description: tool.Description(), InputSchema: schema}
	if own, ok := tool.(*Tool); ok {
		definition = own.MCPTool()
		definition.Name = names[0]
		definition.Description = own.description()
		if schema != nil {
			definition.InputSchema = schema
		}
		if !isObjectSchema(definition.InputSchema) {
			// The SDK takes no other; the tool's server judges the arguments.
			if schema != nil {
				return nil, nil, errors.New(`the schema is no JSON object with "type": "object"`)
			}
			definition.InputSchema = NormalizeSchema(definition.InputSchema, SchemaOpenAI)
		}
		return definition, serveTool(own), nil
	}
	if schema == nil {
		definition.InputSchema = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`)
	}
	resolved, err := resolveSchema(definition.InputSchema)
	if err != nil {
		return nil, nil, err
	}
	return definition, serveText(tool, resolved, schema == nil), nil
}

func isObjectSchema(schema any) bool {
	m, ok := plainJSON(schema).(map[string]any)
	return ok && m["type"] == "object"
}

// plainJSON returns v as encoding/json decodes what it encodes, or nil.
func plainJSON(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var plain any
	if json.Unmarshal(raw, &plain) != nil {
		return nil
	}
	return plain
}

func resolveSchema(schema any) (*jsonschema.Resolved, error) {
	if !isObjectSchema(schema) {
		return nil, errors.New(`the schema is no JSON object with "type": "object"`)
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(raw, &parsed); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	return resolved, nil
}

// serveTool passes calls and whole results on.
func serveTool(tool *Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return guarded(ctx, req, func(ctx context.Context) (*mcp.CallToolResult, error) {
			arguments, err := decodeObject(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			res, err := tool.Invoke(ctx, arguments)
			if err != nil {
				if wire := answered(err); wire != nil {
					return nil, wire
				}
				return nil, err
			}
			// Without what the SDK noted about how it came.
			own := &mcp.CallToolResult{Content: res.Content, StructuredContent: res.StructuredContent, IsError: res.IsError}
			own.Meta = cloneMeta(res.Meta)
			delete(own.Meta, mcp.MetaKeyServerInfo)
			return own, nil
		})
	}
}

// serveText calls a tool that takes and returns text.
func serveText(tool tools.Tool, schema *jsonschema.Resolved, bare bool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return guarded(ctx, req, func(ctx context.Context) (*mcp.CallToolResult, error) {
			arguments, err := decodeObject(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			// The validator knows no json.Number.
			if err := schema.Validate(plainJSON(arguments)); err != nil {
				return errorResult("bad arguments: " + err.Error()), nil
			}
			input, _ := arguments["input"].(string)
			if !bare {
				input = compactJSON(arguments)
			}
			text, err := tool.Call(ctx, input)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: clean(text)}}}, nil
		})
	}
}

// decodeObject keeps numbers as they are written.
func decodeObject(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	value, rest, err := decodeFirst(string(raw))
	object, ok := value.(map[string]any)
	switch {
	case err != nil || rest != "" || !ok && value != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the arguments are no JSON object"}
	case object == nil:
		return map[string]any{}, nil
	}
	return object, nil
}

// guarded runs a call and gives errors and panics the form that clients expect.
func guarded(ctx context.Context, req *mcp.CallToolRequest, call func(context.Context) (*mcp.CallToolResult, error)) (res *mcp.CallToolResult, err error) {
	defer func() {
		if recover() != nil {
			res, err = errorResult("the tool failed unexpectedly"), nil
		}
	}()
	res, err = call(context.WithValue(ctx, progressKey{}, reporter{req.Session, req.Params.GetProgressToken()}))
	var wire *jsonrpc.Error
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &wire) && wire == err:
		return nil, err
	}
	return errorResult(failureText(err)), nil
}
