// Package watch follows configuration files while they are edited, so that a
// running client can do the same:
//
//	watcher := watch.New(nil, config.Files("mcp.json")...)
//	client, err := multiclient.New(config.Connections{}, nil)
//	...
//	go client.Follow(ctx, watcher.Connections, nil)
//
// It is a package of its own so that package config needs nothing of the
// operating system but files.
package watch
