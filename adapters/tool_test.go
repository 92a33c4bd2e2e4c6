package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func TestNewToolNeeds(t *testing.T) {
	handler := returns(content(), nil)
	tests := []struct {
		name string
		cfg  adapters.ToolConfig
		want string
	}{
		{"everything", adapters.ToolConfig{}, "adapters: bad option: a ToolConfig needs a Name and a Tool with a name and a Handler"},
		{"tool", adapters.ToolConfig{Name: "n", ServerName: "s", Handler: handler}, `adapters: bad option: tool "n" of server "s": a ToolConfig needs a Tool with a name`},
		{"name of the tool", adapters.ToolConfig{Name: "n", Tool: &mcp.Tool{}, Handler: handler}, `adapters: bad option: tool "n": a ToolConfig needs a Tool with a name`},
		{"handler", adapters.ToolConfig{Name: "n", Tool: &mcp.Tool{Name: "t"}}, `adapters: bad option: tool "n": a ToolConfig needs a Handler`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool, err := adapters.NewTool(test.cfg)
			if tool != nil || !errors.Is(err, adapters.ErrBadOption) {
				t.Fatalf("got %v, %v", tool, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := adapters.NewTool(adapters.ToolConfig{Name: "n", Tool: &mcp.Tool{Name: "t"}, Handler: handler}); err != nil {
		t.Errorf("what is required: %v", err)
	}
}

func TestToolDescription(t *testing.T) {
	tests := []struct {
		name string
		tool mcp.Tool
		want string
	}{
		{"server's", mcp.Tool{Description: "  Does {{.x}}\nthings.\x00", Title: "T"}, "  Does {{.x}}\nthings.\uFFFD"},
		{"title", mcp.Tool{Description: " \n", Title: "T", Annotations: &mcp.ToolAnnotations{Title: "A"}}, "T"},
		{"annotated title", mcp.Tool{Annotations: &mcp.ToolAnnotations{Title: "A"}}, "A"},
		{"nothing", mcp.Tool{Annotations: &mcp.ToolAnnotations{}}, `The tool "t" of the server "s".`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.tool.Name = "t"
			cfg := adapters.ToolConfig{Name: "s_t", ServerName: "s", Tool: &test.tool, Handler: returns(content(), nil)}
			tool, err := adapters.NewTool(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tool.Description()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			cfg.Options.SchemaInDescription = true
			withSchema, err := adapters.NewTool(cfg)
			if err != nil {
				t.Fatal(err)
			}
			want := test.want + "\nThe input is a JSON object."
			if diff := cmp.Diff(want, withSchema.Description()); diff != "" {
				t.Errorf("with schema (-want +got)\n%s", diff)
			}
			if got := withSchema.Definition().Function.Description; got != test.want {
				t.Errorf("definition with schema: %q", got)
			}
		})
	}
	tool, err := adapters.NewTool(adapters.ToolConfig{Name: "x", Tool: &mcp.Tool{Name: "t"}, Handler: returns(content(), nil)})
	if err != nil {
		t.Fatal(err)
	}
	if got := tool.Description(); got != `The tool "t".` {
		t.Errorf("without a server: %q", got)
	}
}

func TestToolAccessors(t *testing.T) {
	yes := true
	def := &mcp.Tool{
		Name: "get", Description: "Gets.", Title: "Get",
		Meta:         mcp.Meta{"k": []any{"v"}},
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &yes, DestructiveHint: &yes},
		InputSchema:  schemaOf(t, `{"type":"object","properties":{"n":{"type":["integer","null"],"enum":[1,2]}}}`),
		OutputSchema: schemaOf(t, `{"type":"object"}`),
		Icons:        []mcp.Icon{{Source: "data:,", Sizes: []string{"any"}}},
	}
	before := asJSON(t, def)
	tool, err := adapters.NewTool(adapters.ToolConfig{Name: "srv_get", ServerName: "srv", Tool: def, Handler: returns(content(), nil)})
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{tool.Name(), tool.ServerName(), tool.OriginalName(), tool.Description()}; !cmp.Equal(got, []string{"srv_get", "srv", "get", "Gets."}) {
		t.Errorf("got %q", got)
	}

	want := adapters.NormalizeSchema(def.InputSchema, adapters.SchemaPortable)
	wantDefinition := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "srv_get", Description: "Gets.", Parameters: want}}
	if diff := cmp.Diff(wantDefinition, tool.Definition()); diff != "" {
		t.Errorf("Definition (-want +got)\n%s", diff)
	}

	// Whatever is handed out may be spoilt.
	clear(tool.Schema()["properties"].(map[string]any))
	clear(tool.Definition().Function.Parameters.(map[string]any)["properties"].(map[string]any))
	m := tool.MCPTool()
	m.Name = "spoilt"
	m.Meta["k"].([]any)[0] = "spoilt"
	m.Annotations.Title, *m.Annotations.OpenWorldHint, *m.Annotations.DestructiveHint = "spoilt", false, false
	m.InputSchema.(map[string]any)["properties"].(map[string]any)["n"].(map[string]any)["enum"].([]any)[0] = "spoilt"
	clear(m.OutputSchema.(map[string]any))
	m.Icons[0].Sizes[0] = "spoilt"

	if diff := cmp.Diff(want, tool.Schema()); diff != "" {
		t.Errorf("Schema (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(before, asJSON(t, def)); diff != "" {
		t.Errorf("the server's definition was changed (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(before, asJSON(t, tool.MCPTool())); diff != "" {
		t.Errorf("MCPTool (-want +got)\n%s", diff)
	}
	if bare := newTool(t, nil, adapters.ToolOptions{}, returns(content(), nil)).MCPTool(); bare.InputSchema != nil || bare.Annotations != nil || bare.Meta != nil {
		t.Errorf("MCPTool of little: %+v", bare)
	}
}

func TestToolSchemaProfile(t *testing.T) {
	schema := schemaOf(t, `{"type":"object","properties":{"n":{"type":["integer","null"]}}}`)
	tool := newTool(t, schema, adapters.ToolOptions{SchemaProfile: adapters.SchemaRaw}, returns(content(), nil))
	if diff := cmp.Diff(schema, any(tool.Schema())); diff != "" {
		t.Errorf("raw (-want +got)\n%s", diff)
	}
}

func TestToolRequest(t *testing.T) {
	var got *interceptors.Request
	tool := newTool(t, nil, adapters.ToolOptions{}, func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		got = req
		return content(), nil
	})
	args := map[string]any{"config": nil, "n": 1.5}
	if _, err := tool.Invoke(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	if got.ServerName != "srv" || got.ToolName != "get" || got.Tool == nil || got.Headers == nil || got.Meta == nil {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(map[string]any{"config": nil, "n": 1.5}, got.Arguments); diff != "" {
		t.Errorf("arguments (-want +got)\n%s", diff)
	}
	if _, err := tool.Invoke(t.Context(), nil); err != nil || got.Arguments == nil {
		t.Errorf("nil arguments became %v, %v", got.Arguments, err)
	}
}

func TestToolIsSafeForConcurrentUse(t *testing.T) {
	handler := &events{}
	tool := newTool(t, schemaOf(t, oneRequired), adapters.ToolOptions{CallbacksHandler: handler},
		func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			return content(text(req.Arguments["city"].(string))), nil
		})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			city := strings.Repeat("x", i+1)
			if got, err := tool.Call(t.Context(), city); got != city || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			tool.Schema()["x"] = i
			tool.Definition().Function.Parameters.(map[string]any)["x"] = i
			_ = tool.Description()
			tool.MCPTool().InputSchema.(map[string]any)["x"] = i
		})
	}
	wg.Wait()
	if len(handler.log) != 32 {
		t.Errorf("%d events", len(handler.log))
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
