package roots_test

import (
	"context"
	"fmt"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/roots"
)

func Example() {
	workspace, err := roots.New("/home/me/project")
	if err != nil {
		fmt.Println(err)
		return
	}
	cb := callbacks.Callbacks{OnListRoots: workspace.List}
	workspace.Subscribe(func() { fmt.Println("the client tells its servers") })

	_ = workspace.Add("/home/me/my notes")

	// What a client does when a server asks.
	list, _ := cb.OnListRoots(context.Background(), callbacks.CallbackContext{ServerName: "files"}, nil)
	for _, root := range list.Roots {
		fmt.Println(root.Name, root.URI)
	}
	// Output:
	// the client tells its servers
	// project file:///home/me/project
	// my notes file:///home/me/my%20notes
}
