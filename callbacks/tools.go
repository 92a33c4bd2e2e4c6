package callbacks

import "github.com/modelcontextprotocol/go-sdk/mcp"

// A ToolsChange says how the tools of a server differ from those that were listed
// before. Tools are told apart by the names that the server gives them, and are
// sorted by them; a list may be empty but not all of them are. The tools are
// shared and must not be changed.
type ToolsChange struct {
	// Added are tools that were not there before, and Removed those that are no
	// more, as they were.
	Added, Removed []*mcp.Tool

	// Changed are tools whose definition is another now, as they are now.
	Changed []*mcp.Tool
}
