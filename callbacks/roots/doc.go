// Package roots tells MCP servers which directories they may work on.
//
//	workspace, err := roots.New(".", "/srv/data")
//	...
//	cb := callbacks.Callbacks{OnListRoots: workspace.List}
//
// The list can change while servers use it; whoever has to announce that
// subscribes:
//
//	workspace.Subscribe(client.RootsChanged)
//	err = workspace.Add("/srv/more")
//
// Roots are advice: a server can read them, and nothing keeps it from working
// elsewhere (specification 2025-11-25, client/roots).
package roots
