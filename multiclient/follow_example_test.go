package multiclient_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Connections that come and go, here from a sequence of the program's own. A file
// is followed with a watcher of package config/watch.
func ExampleMultiServerClient_Follow() {
	client, err := multiclient.New(nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	updates := func(context.Context) iter.Seq2[config.Connections, error] {
		return func(yield func(config.Connections, error) bool) {
			_ = yield(config.Connections{"library": config.InMemory{Server: library()}}, nil) &&
				yield(config.Connections{"library": config.Stdio{}}, nil) && // not valid
				yield(config.Connections{}, nil)
		}
	}
	err = client.Follow(context.Background(), updates, &multiclient.FollowOptions{
		Changed: func(changes *multiclient.Changes, err error) {
			if err != nil {
				fmt.Println("ignored:", err)
				return
			}
			fmt.Println("added", changes.Added, "removed", changes.Removed)
		},
	})
	fmt.Println("ended:", err)
	// Output:
	// added [library] removed []
	// ignored: config: server "library": command: is required
	// added [] removed [library]
	// ended: <nil>
}

// Only what differs is changed: the other servers keep their sessions.
func ExampleMultiServerClient_SetConnections() {
	reading := config.InMemory{Server: library()}
	client, err := multiclient.New(config.Connections{"reading": reading, "old": config.InMemory{Server: library()}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	changes, err := client.SetConnections(context.Background(), config.Connections{
		"reading": reading,
		"new":     config.InMemory{Server: library()},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("added", changes.Added, "removed", changes.Removed, "replaced", changes.Replaced)
	// Output: added [new] removed [old] replaced []
}
