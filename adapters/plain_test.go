package adapters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func described(t *testing.T, definition *mcp.Tool, options adapters.ToolOptions) *adapters.Tool {
	t.Helper()
	tool, err := adapters.NewTool(adapters.ToolConfig{Name: "t", ServerName: "s", Tool: definition, Handler: returns(nil, nil), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// What makes text look other than it is does not reach a model in descriptions.
func TestDescriptionsHideNothing(t *testing.T) {
	t.Parallel()
	tags := "\U000E0073\U000E0065\U000E006E\U000E0064\U000E007F"
	const bad = "\uFFFD"
	for name, test := range map[string]struct{ said, shown string }{
		"escape sequence": {"a\x1b[8mb\x9b0m", "a" + bad + "[8mb" + bad + "0m"},
		"bell and delete": {"a\ab\x7f", "a" + bad + "b" + bad},
		"C1":              {"a\u0085b\u009bc", "a" + bad + "b" + bad + "c"},
		"lines and tabs":  {"a\tb\nc\r\nd\re", "a\tb\nc\nd\ne"},
		"override":        {"a\u202Eb\u202C", "a" + bad + "b" + bad},
		"isolate":         {"a\u2066b\u2069", "a" + bad + "b" + bad},
		"tags":            {"a" + tags, "a" + strings.Repeat(bad, 5)},
		"scripts":         {"می\u200cخواهم \u200Fא\u200E 👩\u200d🔬 ❤\uFE0F", "می\u200cخواهم \u200Fא\u200E 👩\u200d🔬 ❤\uFE0F"},
	} {
		said := strings.ToValidUTF8(test.said, bad)
		schema := map[string]any{"type": "object", "required": []any{"p"}, "properties": map[string]any{
			"p": map[string]any{"type": "string", "title": said, "description": said, "enum": []any{said}},
		}}
		definition := &mcp.Tool{Name: "t", Description: said, InputSchema: schema}
		for _, profile := range []adapters.SchemaProfile{adapters.SchemaPortable, adapters.SchemaOpenAI, adapters.SchemaOpenAIStrict, adapters.SchemaAnthropic, adapters.SchemaGemini, adapters.SchemaRaw} {
			tool := described(t, definition, adapters.ToolOptions{SchemaProfile: profile})
			if got := tool.Description(); got != test.shown {
				t.Errorf("%s: the description is %q, want %q", name, got, test.shown)
			}
			want := test.shown
			if profile == adapters.SchemaRaw {
				want = said
			}
			p := tool.Schema()["properties"].(map[string]any)["p"].(map[string]any)
			for _, key := range []string{"title", "description"} {
				if got, ok := p[key].(string); ok && !strings.HasPrefix(got, want) {
					t.Errorf("%s, %s: the %s is %q, want %q", name, profile, key, got, want)
				}
			}
			if d, _ := p["description"].(string); d == "" {
				t.Errorf("%s, %s: no description", name, profile)
			}
			if d := cmp.Diff([]any{said}, p["enum"]); d != "" {
				t.Errorf("%s, %s: the values, which a call must send as they are (-want +got):\n%s", name, profile, d)
			}
			if got := tool.MCPTool().Description; got != said {
				t.Errorf("%s: the definition says %q", name, got)
			}
		}
		words := described(t, definition, adapters.ToolOptions{SchemaInDescription: true}).Description()
		if strings.ContainsAny(words, "\x1b\u009b\u0085\u202E\u202C\u2066\u2069\a\x7f\r\U000E0073") {
			t.Errorf("%s: in words it is %q", name, words)
		}
	}
	link := &mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "x://a", Name: "a\u202Eb", Description: "c\x1b[0m" + tags}}}
	if got := adapters.ResultText(link, nil); got != "[resource: a\uFFFDb (x://a): c [0m\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD]" {
		t.Errorf("the link is %q", got)
	}
}
