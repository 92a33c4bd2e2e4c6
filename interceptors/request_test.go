package interceptors_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func TestRequestClone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		req  interceptors.Request
		want interceptors.Request
	}{
		{
			"zero value gets maps",
			interceptors.Request{},
			interceptors.Request{Arguments: map[string]any{}, Headers: http.Header{}, Meta: mcp.Meta{}},
		},
		{
			"all fields",
			interceptors.Request{
				ServerName: "s", ToolName: "t",
				Arguments: map[string]any{"a": "b"},
				Headers:   http.Header{"X-A": {"1", "2"}},
				Meta:      mcp.Meta{"m": true},
				Tool:      &mcp.Tool{Name: "t"},
			},
			interceptors.Request{
				ServerName: "s", ToolName: "t",
				Arguments: map[string]any{"a": "b"},
				Headers:   http.Header{"X-A": {"1", "2"}},
				Meta:      mcp.Meta{"m": true},
				Tool:      &mcp.Tool{Name: "t"},
			},
		},
		{
			"values keep their types",
			interceptors.Request{Arguments: map[string]any{
				"number": json.Number("123456789012345678901234567890.10"),
				"int64":  int64(9007199254740993),
				"null":   nil,
				"maps":   []any{map[string]any(nil), map[string]any{}},
				"lists":  []any{[]any(nil), []any{}},
				"raw":    json.RawMessage(`{"a": 1}`),
			}},
			interceptors.Request{
				Arguments: map[string]any{
					"number": json.Number("123456789012345678901234567890.10"),
					"int64":  int64(9007199254740993),
					"null":   nil,
					"maps":   []any{map[string]any(nil), map[string]any{}},
					"lists":  []any{[]any(nil), []any{}},
					"raw":    json.RawMessage(`{"a": 1}`),
				},
				Headers: http.Header{},
				Meta:    mcp.Meta{},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&test.want, test.req.Clone()); diff != "" {
				t.Errorf("clone (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestCloneSharesNothingThatChanges(t *testing.T) {
	t.Parallel()
	build := func() *interceptors.Request {
		return &interceptors.Request{
			Arguments: map[string]any{"deep": []any{map[string]any{"list": []any{"a"}}}},
			Headers:   http.Header{"X-A": {"1"}},
			Meta:      mcp.Meta{"deep": map[string]any{"a": "b"}},
		}
	}
	original := build()
	clone := original.Clone()

	list := clone.Arguments["deep"].([]any)
	list[0].(map[string]any)["list"].([]any)[0] = "changed"
	list[0].(map[string]any)["new"] = true
	clone.Arguments["new"] = true
	clone.Headers.Add("X-A", "2")
	clone.Headers["X-A"][0] = "changed"
	clone.Meta["deep"].(map[string]any)["a"] = "changed"
	clone.ToolName = "changed"

	if diff := cmp.Diff(build(), original); diff != "" {
		t.Errorf("original after changes of the clone (-want +got):\n%s", diff)
	}
}

func TestRequestCloneSharesTheRest(t *testing.T) {
	t.Parallel()
	tool, value := &mcp.Tool{Name: "t"}, big.NewInt(1)
	clone := (&interceptors.Request{Tool: tool, Arguments: map[string]any{"value": value}}).Clone()
	if clone.Tool != tool {
		t.Error("Tool was copied")
	}
	if clone.Arguments["value"] != any(value) {
		t.Error("a value of a type of Go's own was copied")
	}
}

func TestRequestAnnotations(t *testing.T) {
	t.Parallel()
	hints := &mcp.ToolAnnotations{ReadOnlyHint: true, Title: "Look"}
	tests := []struct {
		name string
		tool *mcp.Tool
		want mcp.ToolAnnotations
	}{
		{"not listed", nil, mcp.ToolAnnotations{}},
		{"without annotations", &mcp.Tool{Name: "look"}, mcp.ToolAnnotations{}},
		{"of the tool", &mcp.Tool{Name: "look", Annotations: hints}, *hints},
		{"of another tool", &mcp.Tool{Name: "see", Annotations: hints}, mcp.ToolAnnotations{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			req := &interceptors.Request{ToolName: "look", Tool: test.tool}
			if diff := cmp.Diff(test.want, req.Annotations()); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}
