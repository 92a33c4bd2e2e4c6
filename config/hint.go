package config

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/langchaingo-mcp/mcpadapters/internal/edits"
)

// suggest returns the name that was probably meant, as " (did you mean ...?)",
// or nothing.
func suggest(key string, names ...map[string]bool) string {
	const most = 2
	best, distance := "", most+1
	for _, m := range names {
		for name := range m {
			d := edits.Between(key, name, most)
			if d < distance || d == distance && d <= most && name < best {
				best, distance = name, d
			}
		}
	}
	if best == "" || distance*2 >= len(best) {
		return ""
	}
	return `: did you mean "` + best + `"?`
}

// missable are keys that are taken for meant where one is missed by a letter:
// without them a server is used in another way than its file says. That there is
// no command or URL is told anyway, and what is near to the others ("requires",
// "timeouts", "oauth2", "scope") may well be a word of another client.
var missable = []string{
	"args", "env", "envFile", "envVars", "cwd", "workingDirectory", "transport", "transportType",
	"headers", "httpHeaders", "envHttpHeaders", "bearerTokenEnvVar",
	"connectTimeout", "listTimeout", "callTimeout", "closeTimeout", "terminateTimeout", "killTimeout", "waitDelay",
	"startupTimeoutSec", "toolTimeoutSec", "defaultToolTimeout",
	"protocolVersion", "sessionPolicy", "maxInFlight", "maxMessageSize",
	"includeTools", "enabledTools", "allowedTools", "excludeTools", "disabledTools", "excludedTools", "deniedTools",
	"disabled", "enabled",
}

// miss returns the key that another one misses by one letter, by upper and lower
// case or by how its words are put together, or "". What does not begin with a
// letter, such as "_env", has been switched off by whoever wrote it.
func miss(key string) string {
	if first, _ := utf8.DecodeRuneInString(key); !unicode.IsLetter(first) {
		return ""
	}
	plain := func(key string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
	}
	for _, name := range missable {
		most := 1
		if len(name) < 4 {
			most = 0 // "cmd" is not "cwd"
		}
		if edits.Between(plain(key), plain(name), most) <= most {
			return name
		}
	}
	return ""
}
