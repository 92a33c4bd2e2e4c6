package config

import (
	"path/filepath"
	"slices"
)

// project adds the servers that Claude Code has added for one folder ("local"
// is its word) to those for all. They win, as they do there. Those that are
// switched off for the folder are left out.
func (d *document) project(root *node, folder string) {
	if d.dialect != DialectClaudeCode || folder == "" {
		return
	}
	projects, ok := root.find("projects")
	if !ok {
		return
	}
	for _, p := range projects.members {
		if filepath.Clean(filepath.FromSlash(p.key)) != folder {
			continue
		}
		if own, ok := p.find("mcpServers"); ok {
			d.servers = slices.DeleteFunc(slices.Clone(d.servers), func(m member) bool {
				_, again := own.find(m.key)
				return again
			})
			d.servers = append(d.servers, own.members...)
		}
		if off, ok := p.find("disabledMcpServers"); ok {
			d.left = map[string]string{}
			for _, name := range off.elements {
				d.left[name.text] = off.key
			}
		}
	}
}
