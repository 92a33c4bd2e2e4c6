package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

func TestExact(t *testing.T) {
	for name, tt := range map[string]struct {
		result string
		kept   bool
	}{
		"exact":       {`{"content":[],"structuredContent":{"id":9007199254740992,"list":[1,2.5,"9007199254740993"]}}`, false},
		"inexact":     {`{"content":[],"structuredContent":{"id":9007199254740993,"list":[1,2.5,null,{"deep":-12345678901234567890123}]}}`, true},
		"with _meta":  {`{"content":[],"_meta":{"k":"v"},"structuredContent":[9007199254740993]}`, true},
		"in a text":   {`{"content":[{"type":"text","text":"9007199254740993"}],"structuredContent":{"a":"9007199254740993"}}`, false},
		"fraction":    {`{"content":[],"structuredContent":0.12345678901234567890}`, false},
		"no content":  {`{"structuredContent":9007199254740993}`, true},
		"nothing":     {`{"content":[],"id":9007199254740993}`, false},
		"bad _meta":   {`{"_meta":5,"structuredContent":9007199254740993}`, false},
		"no object":   {`["structuredContent",9007199254740993]`, false},
		"no JSON":     {`{"structuredContent":9007199254740993`, false},
		"other _meta": {`{"_meta":null,"structuredContent":9007199254740993}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			other, kept := calls.KeepExact([]byte(tt.result))
			if kept != tt.kept {
				t.Fatalf("kept is %v: %s", kept, other)
			}
			if !kept {
				return
			}
			var want map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tt.result), &want); err != nil {
				t.Fatal(err)
			}
			var res mcp.CallToolResult
			if err := res.UnmarshalJSON(other); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(calls.Exact(&res).StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			if m, ok := res.StructuredContent.(map[string]any); ok && m["list"].([]any)[0] != 1.0 {
				t.Errorf("small numbers became %T", m["list"].([]any)[0])
			}
			if diff := cmp.Diff(string(want["structuredContent"]), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if name == "with _meta" && res.Meta["k"] != "v" || name != "with _meta" && res.Meta != nil {
				t.Errorf("_meta is %v", res.Meta)
			}
		})
	}
	if calls.Exact(nil) != nil {
		t.Error("nil became something")
	}
	plain := &mcp.CallToolResult{StructuredContent: 1.0, Meta: mcp.Meta{"langchaingo-mcp/exact": 5}}
	if got := calls.Exact(plain); got != plain || got.StructuredContent != 1.0 {
		t.Errorf("got %+v", got)
	}
}
