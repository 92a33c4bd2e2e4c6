package adapters_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestForAudience(t *testing.T) {
	to := func(roles ...mcp.Role) *mcp.Annotations { return &mcp.Annotations{Audience: roles} }
	everyone := text("everyone")
	res := &mcp.CallToolResult{
		Meta: mcp.Meta{"k": "v"}, StructuredContent: 1.0, IsError: true,
		Content: []mcp.Content{
			everyone,
			&mcp.TextContent{Text: "model", Annotations: to("assistant")},
			&mcp.TextContent{Text: "person", Annotations: to("user")},
			&mcp.TextContent{Text: "both", Annotations: to("user", "assistant")},
			&mcp.TextContent{Text: "nobody in particular", Annotations: &mcp.Annotations{Priority: 1}},
			&mcp.ImageContent{Data: png, Annotations: to("user")},
			&mcp.AudioContent{Data: png, Annotations: to("user")},
			&mcp.ResourceLink{URI: "u:1", Annotations: to("user")},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "u:2"}, Annotations: to("user")},
			nil, (*mcp.TextContent)(nil), (*mcp.ImageContent)(nil), (*mcp.AudioContent)(nil), (*mcp.ResourceLink)(nil), (*mcp.EmbeddedResource)(nil),
			&mcp.ToolUseContent{Name: "t"},
		},
	}
	before := len(res.Content)
	for role, want := range map[mcp.Role]string{
		"assistant": "Error: everyone\nmodel\nboth\nnobody in particular\n[tool call: t, null]\n1",
		"user":      "Error: everyone\nperson\nboth\nnobody in particular\n[image: image/png, 12 bytes]\n[audio: image/png, 12 bytes]\n[resource: u:1]\n[resource: u:2]\n\n[tool call: t, null]\n1",
	} {
		got := adapters.ForAudience(res, role)
		if diff := cmp.Diff(want, adapters.ResultText(got, nil)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", role, diff)
		}
		if got == res || got.Meta["k"] != "v" || got.Content[0] != mcp.Content(everyone) || len(res.Content) != before {
			t.Errorf("%s: %+v", role, got)
		}
	}
	for _, same := range []*mcp.CallToolResult{nil, {}, content(everyone)} {
		if got := adapters.ForAudience(same, "assistant"); got != same {
			t.Errorf("%v became %v", same, got)
		}
	}

	mixed := content(&mcp.TextContent{Text: "model"}, &mcp.TextContent{Text: "person", Annotations: to("user")})
	for respect, want := range map[bool]string{false: "model\nperson", true: "model"} {
		tool := newTool(t, nil, adapters.ToolOptions{RespectAudience: respect}, returns(mixed, nil))
		if got, err := tool.Call(t.Context(), "{}"); got != want || err != nil {
			t.Errorf("respect %v: %q, %v", respect, got, err)
		}
		if got, err := tool.Invoke(t.Context(), nil); got != mixed || err != nil {
			t.Errorf("respect %v: Invoke returns %v, %v", respect, got, err)
		}
	}
}
