package main

import (
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// asking is a file with inputs of all kinds, for the server that serves at URL.
const asking = `{
	"inputs": [
		{"id": "api-key", "type": "promptString", "description": "Key of\u001b[2J the library", "password": true},
		{"id": "region", "type": "pickString", "options": ["eu", {"label": "United States", "value": "us"}], "default": "eu"},
		{"id": "name", "type": "promptString", "default": "Ada"},
		{"id": "branch", "type": "command", "command": "git.branch"}
	],
	"servers": {
		"library": {"url": "URL", "headers": {"X-Key": "${input:api-key}", "X-Region": "${input:region}", "X-Name": "${input:name}", "X-Branch": "${input:branch}"}}
	}
}`

func TestInputs(t *testing.T) {
	config := writeFile(t, "mcp.json", strings.ReplaceAll(asking, "URL", serve(t, library(t, nil))))
	t.Setenv("INPUT_BRANCH", "main")
	args := []string{"-config", config, "-input", "region=us", "-input", "name=", "call", "count"}

	r := inspect(t, args...)
	for _, want := range []string{
		`server "library": headers.X-Key: the input api-key was not answered: there is no terminal to ask on: use -input api-key=VALUE or the variable INPUT_API_KEY`,
	} {
		r.must(t, statusUsage, "", want)
	}
	t.Setenv("INPUT_API_KEY", authserver.Secret())
	r = inspect(t, args...)
	r.must(t, statusOK, "A few.", "")
	r.noSecrets(t)
	inspect(t, append([]string{"-input", "region=moon"}, args[0], args[1], "tools")...).must(t, statusUsage, "", "the input region was answered by none of its options")
}

// TestInputsThatAreNeeded: all of them are told at once.
func TestInputsThatAreNeeded(t *testing.T) {
	config := writeFile(t, "mcp.json", strings.ReplaceAll(asking, "URL", "http://127.0.0.1:1"))
	r := inspect(t, "-config", config, "tools")
	for _, want := range []string{"INPUT_API_KEY", "INPUT_REGION", "INPUT_NAME", "only VS Code can run its command: use -input branch=VALUE or the variable INPUT_BRANCH"} {
		r.must(t, statusUsage, "", want)
	}
	inspect(t, "-config", config, "validate").must(t, statusOK, "is valid", "")

	r = inspect(t, "-config", config, "-input", authserver.Marker, "tools")
	r.must(t, statusUsage, "", "-input takes ID=VALUE")
	r.noSecrets(t)
}
