package config

import (
	"path/filepath"
	"strings"
)

// A Dialect is the form that a client gives to its file. All dialects share one
// set of keys, aliases included, so that a file is usually read the same
// whatever its dialect. What a dialect decides is where the servers are, what
// "timeout" means and in which unit, and whether $NAME is a variable.
type Dialect string

const (
	// DialectOwn is the form that docs/configuration.md and [Schema]
	// describe: {"mcpServers": {...}}.
	DialectOwn Dialect = "mcpadapters"

	// DialectClaudeDesktop is claude_desktop_config.json.
	DialectClaudeDesktop Dialect = "claude-desktop"

	// DialectClaudeCode is .mcp.json. A "timeout" is milliseconds a call.
	DialectClaudeCode Dialect = "claude-code"

	// DialectCursor is .cursor/mcp.json.
	DialectCursor Dialect = "cursor"

	// DialectVSCode is .vscode/mcp.json: {"inputs": [...], "servers": {...}},
	// or the same as "mcp" of settings.json.
	DialectVSCode Dialect = "vscode"

	// DialectGeminiCLI is .gemini/settings.json. A "timeout" is milliseconds a
	// call, $NAME is a variable, and the lists "mcp.allowed" and
	// "mcp.excluded" say which servers are used.
	DialectGeminiCLI Dialect = "gemini-cli"

	// DialectWindsurf is mcp_config.json.
	DialectWindsurf Dialect = "windsurf"

	// DialectCodex is config.toml: [mcp_servers.name].
	DialectCodex Dialect = "codex"

	// DialectLangChain is the connections of langchain-mcp-adapters: servers
	// without a key around them. A "timeout" is seconds to connect, and
	// "sse_read_timeout" seconds a call; both may be what Python prints of a
	// timedelta.
	DialectLangChain Dialect = "langchain"

	// DialectFastMCP is the mcp.json of FastMCP. A "timeout" is milliseconds a
	// call, and "auth" may be a bearer token.
	DialectFastMCP Dialect = "fastmcp"
)

func (d Dialect) known() bool {
	switch d {
	case DialectOwn, DialectClaudeDesktop, DialectClaudeCode, DialectCursor, DialectVSCode, DialectGeminiCLI,
		DialectWindsurf, DialectCodex, DialectLangChain, DialectFastMCP:
		return true
	}
	return false
}

// dialectOfPath tells the dialect by where a file is, or returns "".
func dialectOfPath(path string) Dialect {
	base := strings.ToLower(filepath.Base(path))
	switch base {
	case "claude_desktop_config.json":
		return DialectClaudeDesktop
	case ".mcp.json", ".claude.json":
		return DialectClaudeCode
	case "mcp_config.json":
		return DialectWindsurf
	}
	switch folder := filepath.Base(filepath.Dir(path)); {
	case folder == ".cursor" && base == "mcp.json":
		return DialectCursor
	case folder == ".vscode":
		return DialectVSCode
	case folder == ".gemini" && base == "settings.json":
		return DialectGeminiCLI
	case folder == ".codex" && base == "config.toml":
		return DialectCodex
	}
	return ""
}

// marks are keys of servers that only the files of one client have.
var marks = map[string]Dialect{
	"httpUrl":              DialectGeminiCLI,
	"trust":                DialectGeminiCLI,
	"authProviderType":     DialectGeminiCLI,
	"targetAudience":       DialectGeminiCLI,
	"targetServiceAccount": DialectGeminiCLI,
	"serverUrl":            DialectWindsurf,
	"disabledTools":        DialectWindsurf,
	"headersHelper":        DialectClaudeCode,
	"alwaysLoad":           DialectClaudeCode,
	"includeTags":          DialectFastMCP,
	"excludeTags":          DialectFastMCP,
	"keepAlive":            DialectFastMCP,
}

// dialectOfServers tells the dialect by the keys of servers inside
// "mcpServers". Where they are of several clients, it is none of them.
func dialectOfServers(servers []member) Dialect {
	found := DialectOwn
	for _, s := range servers {
		for _, m := range s.members {
			mark, ok := marks[camel(m.key)]
			switch {
			case !ok || mark == found:
			case found != DialectOwn:
				return DialectOwn
			default:
				found = mark
			}
		}
	}
	return found
}
