package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func parseObject(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// changed applies the change to a tool with the schema and returns the config
// and where its handler notes the last request.
func changed(t *testing.T, schema string, change adapters.ToolChange) (adapters.ToolConfig, *interceptors.Request) {
	t.Helper()
	got := new(interceptors.Request)
	cfg, err := change.Apply(adapters.ToolConfig{
		Name: "shown", ServerName: "s",
		Tool: &mcp.Tool{Name: "t", Description: "The server's.", InputSchema: parseObject(t, schema)},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			*got = *req
			return &mcp.CallToolResult{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return cfg, got
}

func TestToolChangeHidesArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, key, want string
	}{
		{
			"top level", `{"type":"object","properties":{"a":{},"key":{}},"required":["a","key"]}`,
			"key", `{"type":"object","properties":{"a":{}},"required":["a"]}`,
		},
		{
			"the only one", `{"type":"object","properties":{"key":{}},"required":["key"],"additionalProperties":false}`,
			"key", `{"type":"object","properties":{},"additionalProperties":false}`,
		},
		{
			"nested", `{"type":"object","properties":{"o":{"type":"object","properties":{"key":{},"b":{}},"required":["key","b"]}},"required":["o"]}`,
			"/o/key", `{"type":"object","properties":{"o":{"type":"object","properties":{"b":{}},"required":["b"]}},"required":["o"]}`,
		},
		{
			"escaped", `{"type":"object","properties":{"a/b~c":{"properties":{"/":{}}}}}`,
			"/a~1b~0c/~1", `{"type":"object","properties":{"a/b~c":{"properties":{}}}}`,
		},
		{
			"combined", `{"type":"object","allOf":[{"properties":{"key":{},"a":{}},"required":["key"]}],"anyOf":[{"required":["key"]},{"required":["a"]}],"if":{"required":["key"]},"then":{"required":["key","a"]}}`,
			"key", `{"type":"object","allOf":[{"properties":{"a":{}}}],"anyOf":[{},{"required":["a"]}],"then":{"required":["a"]}}`,
		},
		{
			"referred to", `{"type":"object","$ref":"#/$defs/A","$defs":{"A":{"properties":{"key":{},"o":{"$ref":"#/$defs/A"}}}}}`,
			"key", `{"type":"object","allOf":[{"properties":{"o":{"$ref":"#/$defs/A"}}}],"$defs":{"A":{"properties":{"key":{},"o":{"$ref":"#/$defs/A"}}}}}`,
		},
		{
			"referred to by escapes", `{"type":"object","$ref":"#/$defs/A%20~0","$defs":{"A ~":{"properties":{"key":{},"a":{}}}}}`,
			"key", `{"type":"object","$ref":"#/$defs/A%20~0","$defs":{"A ~":{"properties":{"a":{}}}}}`,
		},
		{
			"dependent", `{"type":"object","properties":{"key":{},"a":{}},"dependentRequired":{"key":["a"],"a":["key"]},"dependencies":{"a":["key","b"]},"dependentSchemas":{"a":{"required":["key"]},"key":{}}}`,
			"key", `{"type":"object","properties":{"a":{}},"dependentRequired":{},"dependencies":{"a":["b"]},"dependentSchemas":{"a":{}}}`,
		},
		{"no properties", `{"type":"object"}`, "key", `{"type":"object"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := changed(t, test.schema, adapters.ToolChange{Fixed: map[string]any{test.key: 1}})
			got := cfg.Tool.InputSchema.(map[string]any)
			want := parseObject(t, test.want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestToolChangeFixesArguments(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{},"key":{},"o":{"type":"object","properties":{"in":{"type":"object","properties":{"key":{}}}}}}}`
	fixed := map[string]any{"key": "secret", "/o/in/key": []any{1.0}}
	cfg, got := changed(t, schema, adapters.ToolChange{Name: "new", Description: "Ours.", Fixed: fixed})
	tool, err := adapters.NewTool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if tool.Name() != "new" || tool.Description() != "Ours." || tool.OriginalName() != "t" {
		t.Errorf("shown as %q (%q), original %q", tool.Name(), tool.Description(), tool.OriginalName())
	}
	tests := []struct{ name, input, want string }{
		{"not sent", `{"a":1}`, `{"a":1,"key":"secret","o":{"in":{"key":[1]}}}`},
		{"overwritten", `{"key":"evil","o":{"in":{"key":2,"b":3}}}`, `{"key":"secret","o":{"in":{"key":[1],"b":3}}}`},
		{"null on the way", `{"o":{"in":null}}`, `{"key":"secret","o":{"in":{"key":[1]}}}`},
	}
	for _, test := range tests {
		if _, err := tool.Invoke(t.Context(), parseObject(t, test.input)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parseObject(t, test.want), got.Arguments); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	if got.Tool.Description != "The server's." || len(got.Tool.InputSchema.(map[string]any)["properties"].(map[string]any)) != 3 {
		t.Errorf("interceptors see %v instead of the server's definition", got.Tool)
	}
	got.ToolName = ""
	res, err := tool.Invoke(t.Context(), map[string]any{"o": map[string]any{"in": "text"}})
	if err != nil || !res.IsError || got.ToolName != "" {
		t.Errorf("text in place of an object: %v, %v, called %q", res, err, got.ToolName)
	}
	if text := adapters.ResultText(res, nil); !strings.Contains(text, `"o.in" must be an object`) {
		t.Errorf("the model is told %q", text)
	}
	if diff := cmp.Diff(map[string]any{"key": "secret", "/o/in/key": []any{1.0}}, fixed); diff != "" {
		t.Error("the change was changed", diff)
	}
}

// No other spelling of a fixed argument gets past it to a server that takes it
// for the same.
func TestFixedArgumentsInOtherSpellings(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{},"Tenant":{},"api_key":{},"API_KEY":{},"o":{"allOf":[{"properties":{"User-ID":{},"userid":{}}}]},"/":{}}}`
	cfg, got := changed(t, schema, adapters.ToolChange{Fixed: map[string]any{"Tenant": "acme", "api_key": "k", "/o/User-ID": 1.0, "/~1": 0.0}})
	var fixed struct {
		Tenant string `json:"Tenant"`
	}
	for _, impostor := range []string{
		`{"tenant":"evil"}`, `{"TENANT":"evil"}`, `{"te_nant":1}`, `{"apiKey":1}`, `{"api-key":1}`, `{"api_\u212Aey":1}`, `{"O":{"User-ID":2}}`,
		`{"o":{"user_id":2}}`, `{"o":{"USERID":2}}`, `{" Tenant":1}`,
	} {
		got.ToolName = ""
		res, err := cfg.Handler(t.Context(), &interceptors.Request{Arguments: parseObject(t, impostor)})
		if err != nil || !res.IsError || got.ToolName != "" || !strings.Contains(adapters.ResultText(res, nil), "there is no argument") {
			t.Errorf("%s: %v, %v, sent %v", impostor, res, err, got.Arguments)
		}
	}
	// What the schema has is no other spelling, nor is what differs by a letter.
	for _, own := range []string{`{"a":1,"API_KEY":2,"o":{"userid":3,"b":4},"Tenants":5,"+":6,"deep":{"tenant":7}}`, `{"Tenant":"evil","api_key":"x","o":{"User-ID":3}}`} {
		res, err := cfg.Handler(t.Context(), &interceptors.Request{ToolName: "t", Arguments: parseObject(t, own)})
		if err != nil || res.IsError {
			t.Fatalf("%s: %v, %v", own, res, err)
		}
		sent, err := json.Marshal(got.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(sent, &fixed); err != nil || fixed.Tenant != "acme" || got.Arguments["api_key"] != "k" || got.Arguments["o"].(map[string]any)["User-ID"] != 1.0 {
			t.Errorf("%s was sent as %s", own, sent)
		}
	}
}

func TestToolChangeFaults(t *testing.T) {
	t.Parallel()
	handler := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return nil, nil }
	good := adapters.ToolConfig{ServerName: "s", Tool: &mcp.Tool{Name: "t", InputSchema: map[string]any{"properties": map[string]any{"a": true, "o": map[string]any{"properties": map[string]any{"b": true}}}}}, Handler: handler}
	tests := []struct {
		name   string
		cfg    adapters.ToolConfig
		change adapters.ToolChange
		want   string
	}{
		{"name", good, adapters.ToolChange{Name: "a b"}, `name "a b" does not match`},
		{"long name", good, adapters.ToolChange{Name: strings.Repeat("a", 65)}, `does not match`},
		{"missing", good, adapters.ToolChange{Fixed: map[string]any{"b": 1, "/o/c": 2, "a": 3}}, `tool "t" of server "s": there is no argument "/o/c", "b" to fix`},
		{"pointer", good, adapters.ToolChange{Fixed: map[string]any{"/a~2": 1}}, `"/a~2" is no JSON pointer`},
		{"inside", good, adapters.ToolChange{Fixed: map[string]any{"o": 1, "/o/b": 2}}, `one is inside the other`},
		{"twice", good, adapters.ToolChange{Fixed: map[string]any{"a": 1, "/a": 2}}, `are the same`},
		{"no tool", adapters.ToolConfig{Handler: handler}, adapters.ToolChange{}, `needs a Tool`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.change.Apply(test.cfg)
			if !errors.Is(err, adapters.ErrBadOption) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func FuzzToolChangeFixed(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#"}]}`, "/a/a/b")
	f.Add(`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x","required":["a",1]}}}`, "a")
	f.Fuzz(func(t *testing.T, schema, key string) {
		cfg, err := adapters.ToolChange{Fixed: map[string]any{key: "fixed"}}.Apply(adapters.ToolConfig{
			Tool: &mcp.Tool{Name: "t", InputSchema: json.RawMessage(schema)},
			Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
				if len(req.Arguments) != 1 {
					t.Errorf("arguments are %v", req.Arguments)
				}
				return &mcp.CallToolResult{}, nil
			},
		})
		if err != nil {
			return
		}
		if _, err := cfg.Handler(t.Context(), &interceptors.Request{}); err != nil {
			t.Error(err)
		}
	})
}
