package watch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/config/watch"
)

func ExampleWatcher_Updates() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mcp.json")
	write := func(text string) {
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err == nil {
			err = os.Rename(path+"~", path)
		}
	}
	write(`{"mcpServers": {"math": {"command": "python"}, "old": {"command": "x"}}}`)

	for update, err := range watch.New(nil, config.Files(path)...).Updates(context.Background()) {
		if err != nil {
			fmt.Println("ignored:", err)
			continue
		}
		fmt.Printf("%d: %+v\n", update.Generation, update.Changes)
		if update.Generation == 2 {
			break
		}
		write(`{"mcpServers": {"math": {"command": "python3"}, "new": {"command": "y"}}}`)
	}
	// Output:
	// 1: {Added:[math old] Removed:[] Changed:[]}
	// 2: {Added:[new] Removed:[old] Changed:[math]}
}
