package adapters

import (
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// cloneTool returns a copy that shares nothing with t but schemas of Go types
// other than those that JSON is decoded to.
func cloneTool(t *mcp.Tool) *mcp.Tool {
	c := *t
	c.Meta = cloneMeta(t.Meta)
	if t.Annotations != nil {
		a := *t.Annotations
		a.DestructiveHint = clonePointer(a.DestructiveHint)
		a.OpenWorldHint = clonePointer(a.OpenWorldHint)
		c.Annotations = &a
	}
	c.InputSchema = cloneJSON(t.InputSchema)
	c.OutputSchema = cloneJSON(t.OutputSchema)
	c.Icons = slices.Clone(t.Icons)
	for i := range c.Icons {
		c.Icons[i].Sizes = slices.Clone(c.Icons[i].Sizes)
	}
	return &c
}

func cloneMeta(m mcp.Meta) mcp.Meta {
	c, _ := cloneJSON(map[string]any(m)).(map[string]any)
	return c
}

func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := maps.Clone(v)
		for k, e := range c {
			c[k] = cloneJSON(e)
		}
		return c
	case []any:
		c := slices.Clone(v)
		for i, e := range c {
			c[i] = cloneJSON(e)
		}
		return c
	default:
		return v
	}
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
