package config

import (
	_ "embed"
	"slices"
)

//go:embed connections.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 7) of our own form of a file, for
// editors that complete and check: {"mcpServers": {...}} with the keys in
// camelCase. What it accepts can be read, as long as variables are set and
// files exist, and as long as no two headers are the same; much else, of the
// files of other clients above all, can be read too.
//
// It is also the file connections.schema.json beside the sources.
func Schema() []byte { return slices.Clone(schema) }
