package config

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
)

// A Format is the syntax of a file.
type Format string

const (
	// FormatJSON is JSON, with comments and trailing commas allowed.
	FormatJSON Format = "json"

	// FormatTOML is TOML 1.0.
	FormatTOML Format = "toml"

	// FormatYAML is YAML 1.2, one document of the same shape as JSON. Keys
	// are strings; aliases and merge keys are followed within bounds.
	FormatYAML Format = "yaml"
)

// A syntaxError says why a text is none of its format. Nothing of the text is
// in the problem but single characters and keys.
type syntaxError struct {
	problem string
	at      position
}

// parseNode reads a text. It never panics, and does an amount of work that
// the size of the text bounds.
func parseNode(data []byte, format Format) (*node, *syntaxError) {
	if at := invalidUTF8(data); at >= 0 {
		return nil, &syntaxError{"is not UTF-8 text", position{offset: at}}
	}
	switch format {
	case FormatTOML:
		return parseTOML(data) // where an empty file is one without servers
	case FormatYAML:
		return parseYAML(data)
	default:
		return parseJSON(data)
	}
}

// formatOf tells the format by the ending of the path and, where that says
// nothing, by what the text begins with.
func formatOf(path string, data []byte) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		return FormatTOML
	case ".yaml", ".yml":
		return FormatYAML
	case ".json", ".jsonc", ".json5":
		return FormatJSON
	}
	line := firstLine(data)
	switch {
	case tomlLine.Match(line):
		return FormatTOML
	case yamlLine.Match(line):
		return FormatYAML
	default:
		return FormatJSON
	}
}

var (
	tomlLine = regexp.MustCompile(`^(\[\[?\s*[A-Za-z_][^,{}]*\]\]?|[A-Za-z0-9_."'-]+\s*=)`)
	yamlLine = regexp.MustCompile(`^(---|%YAML|[^\s{}\[\],"/][^{}\[\],"]*:(\s|$)|"[^"]*":(\s|$))`)
)

// firstLine returns the first line that is neither empty nor a comment of TOML
// or YAML.
func firstLine(data []byte) []byte {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return line
		}
	}
	return nil
}
