package adapters_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/schema"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestResourceDocuments(t *testing.T) {
	res := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: "file:///a.md", MIMEType: "text/markdown", Text: "# A\x00", Meta: mcp.Meta{"k": "v"}},
		nil,
		{URI: "file:///a.bin", Blob: []byte{0, 1, 2}},
		{URI: "file:///a.txt", MIMEType: "text/plain; charset=utf-8", Blob: []byte("plain")},
		{URI: "file:///a.json", MIMEType: "application/vnd.api+json", Blob: []byte("{}")},
		{URI: "file:///a.xml", MIMEType: "application/xml", Blob: []byte("<a/>")},
		{URI: "file:///latin1", MIMEType: "text/plain", Blob: []byte("caf\xe9")},
		{Blob: []byte{}},
		{},
	}}
	want := []schema.Document{
		{PageContent: "# A\uFFFD", Metadata: map[string]any{"uri": "file:///a.md", "mime_type": "text/markdown", "server": "fs", "_meta": map[string]any{"k": "v"}}},
		{Metadata: map[string]any{"uri": "file:///a.bin", "server": "fs", "blob": []byte{0, 1, 2}}},
		{PageContent: "plain", Metadata: map[string]any{"uri": "file:///a.txt", "mime_type": "text/plain; charset=utf-8", "server": "fs", "blob": []byte("plain")}},
		{PageContent: "{}", Metadata: map[string]any{"uri": "file:///a.json", "mime_type": "application/vnd.api+json", "server": "fs", "blob": []byte("{}")}},
		{PageContent: "<a/>", Metadata: map[string]any{"uri": "file:///a.xml", "mime_type": "application/xml", "server": "fs", "blob": []byte("<a/>")}},
		{Metadata: map[string]any{"uri": "file:///latin1", "mime_type": "text/plain", "server": "fs", "blob": []byte("caf\xe9")}},
		{Metadata: map[string]any{"server": "fs", "blob": []byte{}}},
		{Metadata: map[string]any{"server": "fs"}},
	}
	got := adapters.ResourceDocuments("fs", res)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	asJSON, err := json.Marshal(got[1])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(asJSON), `"blob":"AAEC"`) {
		t.Errorf("JSON of a blob: %s", asJSON)
	}

	got[0].Metadata[adapters.MetadataMeta].(map[string]any)["k"] = "changed"
	if res.Contents[0].Meta["k"] != "v" {
		t.Error("the metadata is shared with the result")
	}
	if docs := adapters.ResourceDocuments("", nil); docs != nil {
		t.Errorf("nil result: %v", docs)
	}
	if docs := adapters.ResourceDocuments("", &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{}}}); len(docs[0].Metadata) != 0 {
		t.Errorf("metadata of nothing: %v", docs[0].Metadata)
	}
}
