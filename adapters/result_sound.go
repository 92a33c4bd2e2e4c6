package adapters

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sound returns the result of a handler without blocks that are nil or hold
// nothing, which handlers and interceptors leave behind: the SDK encodes them as
// what no client can decode, or crashes.
func sound(res *mcp.CallToolResult) *mcp.CallToolResult {
	content, changed := soundBlocks(res.Content)
	if !changed {
		return res
	}
	own := *res
	own.Content = content
	return &own
}

func soundBlocks(blocks []mcp.Content) (sound []mcp.Content, changed bool) {
	for i, block := range blocks {
		block, other := soundBlock(block)
		if other && !changed {
			sound, changed = slices.Clone(blocks[:i]), true
		}
		if changed && block != nil {
			sound = append(sound, block)
		}
	}
	if !changed {
		return blocks, false
	}
	return sound, true
}

// soundBlock returns the block or, if changed is set, what takes its place, which
// may be nil.
func soundBlock(block mcp.Content) (sound mcp.Content, changed bool) {
	switch c := block.(type) {
	case *mcp.EmbeddedResource:
		if c == nil || c.Resource == nil {
			return nil, true
		}
	case *mcp.ToolResultContent:
		if c == nil {
			return nil, true
		}
		if content, changed := soundBlocks(c.Content); changed {
			own := *c
			own.Content = content
			return &own, true
		}
	default:
		if isNil(block) {
			return nil, true
		}
	}
	return block, false
}
