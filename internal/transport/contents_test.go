package transport

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestContentIsMended(t *testing.T) {
	const a = `{"type":"text","text":"a"}`
	for name, tt := range map[string]struct {
		content, want string
		reports       int
	}{
		"right":                   {`[` + a + `]`, `[` + a + `]`, 0},
		"unknown kind":            {`[` + a + `,{"type":"video","data":"AAAA"}]`, `[` + a + `,{"type":"text","text":"[unsupported content: \"video\"]","_meta":{"langchaingo-mcp/unreadable":{"type":"video","data":"AAAA"}}}]`, 1},
		"no kind":                 {`[{"text":"a"}]`, `[{"type":"text","text":"[unsupported content]","_meta":{"langchaingo-mcp/unreadable":{"text":"a"}}}]`, 1},
		"kind of another type":    {`[{"type":5}]`, `[{"type":"text","text":"[unsupported content]","_meta":{"langchaingo-mcp/unreadable":{"type":5}}}]`, 1},
		"bad base64":              {`[{"type":"image","mimeType":"image/png","data":"%%%"}]`, `[{"type":"text","text":"[unsupported content: \"image\"]","_meta":{"langchaingo-mcp/unreadable":{"type":"image","mimeType":"image/png","data":"%%%"}}}]`, 1},
		"base64 without end":      {`[{"type":"image","data":"iVBORw"}]`, `[{"type":"image","mimeType":"","data":"iVBORw==","_meta":{"langchaingo-mcp/unreadable":{"type":"image","data":"iVBORw"}}}]`, 1},
		"base64 for URLs":         {`[{"type":"audio","data":"-_-_"}]`, `[{"type":"audio","mimeType":"","data":"+/+/","_meta":{"langchaingo-mcp/unreadable":{"type":"audio","data":"-_-_"}}}]`, 1},
		"data URL":                {`[{"type":"image","data":"data:image/png;base64,iVBORw=="}]`, `[{"type":"image","mimeType":"","data":"iVBORw==","_meta":{"langchaingo-mcp/unreadable":{"type":"image","data":"data:image/png;base64,iVBORw=="}}}]`, 1},
		"bad annotations":         {`[{"type":"text","text":"a","annotations":{"audience":"user"},"_meta":{"k":1}}]`, `[{"type":"text","text":"a","_meta":{"k":1,"langchaingo-mcp/unreadable":{"type":"text","text":"a","annotations":{"audience":"user"},"_meta":{"k":1}}}}]`, 1},
		"bad size":                {`[{"type":"resource_link","uri":"u:1","name":"n","size":"big"}]`, `[{"type":"resource_link","uri":"u:1","name":"n","_meta":{"langchaingo-mcp/unreadable":{"type":"resource_link","uri":"u:1","name":"n","size":"big"}}}]`, 1},
		"text that is none":       {`[{"type":"text","text":{"n":1}}]`, `[{"type":"text","text":"{\"n\":1}","_meta":{"langchaingo-mcp/unreadable":{"type":"text","text":{"n":1}}}}]`, 1},
		"bad blob":                {`[{"type":"resource","resource":{"uri":"u:1","blob":"%"}}]`, `[{"type":"resource","resource":{"uri":"u:1","text":"[data that is not base64]","_meta":{"langchaingo-mcp/unreadable":{"uri":"u:1","blob":"%"}}},"_meta":{"langchaingo-mcp/unreadable":{"type":"resource","resource":{"uri":"u:1","blob":"%"}}}}]`, 1},
		"no resource":             {`[{"type":"resource","resource":7}]`, `[{"type":"text","text":"[unsupported content: \"resource\"]","_meta":{"langchaingo-mcp/unreadable":{"type":"resource","resource":7}}}]`, 1},
		"bare text":               {`["a"]`, `[` + a + `]`, 1},
		"text instead of a list":  {`"a"`, `[` + a + `]`, 2},
		"block instead of a list": {a, `[` + a + `]`, 1},
		"null":                    {`[null,` + a + `]`, `[` + a + `]`, 1},
		"number":                  {`[7]`, `[{"type":"text","text":"[unsupported content]","_meta":{"langchaingo-mcp/unreadable":7}}]`, 1},
		"nothing":                 {`null`, `[]`, 0},
		"nested":                  {`[{"type":"tool_result","toolUseId":"1","content":[{"type":"tool_use"}]}]`, `[{"type":"tool_result","toolUseId":"1","content":[],"_meta":{"langchaingo-mcp/unreadable":{"type":"tool_result","toolUseId":"1","content":[{"type":"tool_use"}]}}}]`, 1},
		"use of a tool":           {`[{"type":"tool_use","id":"1","name":"n","input":{}}]`, `[{"type":"tool_use","id":"1","name":"n","input":{}}]`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			left, reports := mended("tools/call", `{"content":`+tt.content+`,"isError":true,"structuredContent":{"s":1}}`)
			var res mcp.CallToolResult
			if err := decodable([]byte(left), &res); err != nil {
				t.Fatalf("%s: %v", left, err)
			}
			got, err := json.Marshal(res.Content)
			if err != nil {
				t.Fatal(err)
			}
			if res.Content == nil {
				got = []byte("[]")
			}
			if diff := cmp.Diff(decoded(t, tt.want), decoded(t, string(got))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !res.IsError || res.StructuredContent == nil {
				t.Errorf("the rest is lost: %s", left)
			}
			if len(reports) != tt.reports {
				t.Errorf("reported: %q", reports)
			}
		})
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOtherContentIsMended(t *testing.T) {
	for name, tt := range map[string]struct{ method, result, want string }{
		"message":         {"prompts/get", `{"description":"d","messages":[{"role":"user","content":{"type":"video"}},{"role":"assistant","content":{"type":"text","text":"a"}}]}`, `[unsupported content: \"video\"]`},
		"message of text": {"prompts/get", `{"messages":[{"role":"user","content":"hello"}]}`, `"text":"hello"`},
		"no content":      {"prompts/get", `{"messages":[{"role":"user"}]}`, `"text":""`},
		"resource":        {"resources/read", `{"contents":[{"uri":"u:1","blob":"-_-_"},{"uri":"u:2","blob":"%"}]}`, `"blob":"+/+/"`},
		"members":         {"tools/call", `{"content":[],"isError":"yes","_meta":7}`, `{"content":[],"isError":true}`},
		"rounds":          {"tools/call", `{"content":[{"type":"x"}],"resultType":"input_required","inputRequests":{"1":{"method":"roots/list"}}}`, `"params":{}`},
	} {
		t.Run(name, func(t *testing.T) {
			left, reports := mended(tt.method, tt.result)
			if !strings.Contains(left, tt.want) || len(reports) == 0 {
				t.Errorf("%s, reported %q", left, reports)
			}
			if err := decodable([]byte(left), contents[tt.method].whole()); err != nil {
				t.Errorf("%s: %v", left, err)
			}
		})
	}
	for _, hopeless := range []string{`null`, `[]`, `7`, `{`} {
		if left, reports := mended("tools/call", hopeless); left != hopeless || reports != nil {
			t.Errorf("%s became %s, %q", hopeless, left, reports)
		}
	}
}

// What is mended always decodes, and what decodes is not touched.
func FuzzContent(f *testing.F) {
	f.Add(`{"content":[{"type":"image","data":"AAA","annotations":5},"x",null,{"type":"resource","resource":{"blob":7}}],"isError":1}`)
	f.Add(`{"content":{"type":"tool_result","content":[{"type":"tool_use","input":[]}]},"_meta":{"a":1}}`)
	f.Fuzz(func(t *testing.T, result string) {
		for method, c := range contents {
			left, _ := mended(method, result)
			fine := decodable([]byte(result), c.whole()) == nil
			if fine && left != result && !strings.Contains(result, "inputRequests") {
				t.Errorf("%s: %s became %s", method, result, left)
			}
		}
	})
}
