package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// againstSchema checks a file that names a schema, and is of our own form,
// against that form. What the schema refuses may well be read, but editors will
// mark it. It tells no more than that: messages about schemas show values.
func againstSchema(path string, result *config.Result) []problem {
	for _, origin := range result.Origins {
		if origin.Dialect != config.DialectOwn {
			return nil
		}
	}
	var (
		schema   jsonschema.Schema
		instance map[string]any
	)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if data, err = hujson.Standardize(data); err != nil || json.Unmarshal(data, &instance) != nil {
		return nil // of another format
	}
	if name, _ := instance["$schema"].(string); !strings.HasSuffix(name, "connections.schema.json") {
		return nil
	}
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		return []problem{{Kind: kindConfiguration, File: path, Message: "the schema does not parse: " + err.Error()}}
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return []problem{{Kind: kindConfiguration, File: path, Message: "the schema is no schema: " + err.Error()}}
	}
	var problems []problem
	if resolved.Validate(instance) == nil {
		return nil
	}
	servers, _ := instance["mcpServers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if resolved.Validate(map[string]any{"mcpServers": map[string]any{name: servers[name]}}) != nil {
			o := result.Origins[name]
			problems = append(problems, problem{Kind: kindConfiguration, Server: name, File: path, Line: o.Line, Column: o.Column,
				Message: "can be read, but is not of the form that the schema describes"})
		}
	}
	if len(problems) == 0 {
		problems = append(problems, problem{Kind: kindConfiguration, File: path, Message: "can be read, but is not of the form that the schema describes"})
	}
	return problems
}
