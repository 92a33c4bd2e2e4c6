package adapters

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ForAudience returns res without the blocks of content that are meant for
// others: those whose annotations name an audience that role is not part of
// (specification 2025-11-25, server/resources, annotations). Servers say
// "user" of what a person should see and a model need not read, and
// "assistant" of the opposite.
//
// The rest is that of res, structured content included, and shared with it; res
// is not changed, and returned itself if nothing is left out. Nil gives nil.
func ForAudience(res *mcp.CallToolResult, role mcp.Role) *mcp.CallToolResult {
	others := func(block mcp.Content) bool {
		a := annotations(block)
		return a != nil && len(a.Audience) > 0 && !slices.Contains(a.Audience, role)
	}
	if res == nil || !slices.ContainsFunc(res.Content, others) {
		return res
	}
	c := *res
	c.Content = slices.DeleteFunc(slices.Clone(res.Content), others)
	return &c
}

func annotations(block mcp.Content) *mcp.Annotations {
	switch c := block.(type) {
	case *mcp.TextContent:
		if c != nil {
			return c.Annotations
		}
	case *mcp.ImageContent:
		if c != nil {
			return c.Annotations
		}
	case *mcp.AudioContent:
		if c != nil {
			return c.Annotations
		}
	case *mcp.ResourceLink:
		if c != nil {
			return c.Annotations
		}
	case *mcp.EmbeddedResource:
		if c != nil {
			return c.Annotations
		}
	}
	return nil
}
