package config

import (
	"path/filepath"
	"slices"
)

// project adds the servers that Claude Code has added for one folder ("local"
// is its word) to those for all. They win, as they do there.
func (d *document) project(root *node, folder string) {
	if d.dialect != DialectClaudeCode || folder == "" {
		return
	}
	projects, ok := root.find("projects")
	if !ok {
		return
	}
	for _, p := range projects.members {
		own, ok := p.find("mcpServers")
		if !ok || filepath.Clean(filepath.FromSlash(p.key)) != folder {
			continue
		}
		d.servers = slices.DeleteFunc(slices.Clone(d.servers), func(m member) bool {
			_, again := own.find(m.key)
			return again
		})
		d.servers = append(d.servers, own.members...)
	}
}
