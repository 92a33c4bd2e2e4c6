package callbacks

import "github.com/modelcontextprotocol/go-sdk/mcp"

// A Change says how a list of a server differs from what was listed before.
// Entries are told apart by the names that the server gives them, resources by
// their URIs, and are sorted by them; a list may be empty but not all of them are.
// The entries are shared and must not be changed.
type Change[T any] struct {
	// Added are entries that were not there before, and Removed those that are no
	// more, as they were.
	Added, Removed []T

	// Changed are entries whose definition is another now, as they are now.
	Changed []T
}

// The changes that callbacks receive.
type (
	ToolsChange     = Change[*mcp.Tool]
	PromptsChange   = Change[*mcp.Prompt]
	ResourcesChange = Change[*mcp.Resource]
)
