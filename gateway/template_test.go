package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A template that can be read, but whose regular expression panics, must not end
// the process at the first resource that a client asks for.
func TestTemplateThatCannotBeMatched(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "s"}}}, nil
		}
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "many", URITemplate: "many://{" + strings.Repeat("v,", 1100) + "v}"}, read)
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "long", URITemplate: "long://" + strings.Repeat("{v}", 5000)}, read)
		s.AddResource(&mcp.Resource{Name: "good", URI: "good://1"}, read)
		g := newHouse(t, w, config.Connections{"s": config.InMemory{Server: s}}, nil).enter(t, "guest")
		if _, err := g.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "none://1"}); err == nil {
			t.Error("a resource that is not there was read")
		}
		if _, err := g.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "good://1"}); err != nil {
			t.Error(err)
		}
		list, err := g.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(list.ResourceTemplates) != 0 {
			t.Errorf("templates: %v, %v", list, err)
		}
	})
}
