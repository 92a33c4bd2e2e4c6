package config

import "strings"

// Keys are looked up in one spelling: command_line and commandLine are the
// same key. What clients call by different names has one canonical name here,
// which is the one of our own form and of faults of [Connections.Validate].

// aliases maps the spellings of other clients to canonical names.
var aliases = map[string]string{
	"type":          "transport",
	"transportType": "transport",

	"httpUrl":   "url", // Gemini CLI
	"serverUrl": "url", // Windsurf
	"uri":       "url",

	"httpHeaders": "headers", // Codex

	"workingDirectory": "cwd",

	"enabledTools":  "includeTools", // Codex
	"allowedTools":  "includeTools",
	"disabledTools": "excludeTools", // Windsurf, Codex
	"excludedTools": "excludeTools",
	"deniedTools":   "excludeTools",
}

// known are the canonical names of keys that are read.
var known = set("transport", "command", "args", "env", "envFile", "envVars", "cwd", "terminateTimeout",
	"killTimeout", "waitDelay", "maxMessageSize", "url", "headers", "envHttpHeaders", "bearerTokenEnvVar", "connectTimeout", "listTimeout",
	"callTimeout", "closeTimeout", "protocolVersion", "sessionPolicy", "maxInFlight", "includeTools", "excludeTools", "disabled",
	"enabled", "required", "timeout", "sseReadTimeout", "startupTimeoutSec", "startupTimeoutMs", "toolTimeoutSec",
	"defaultToolTimeout", "oauth", "scopes")

// inert are keys of clients that say nothing about a connection.
var inert = set("$schema", "name", "displayName", "description", "icon", "version", "metadata", "_meta", "tags",
	"gallery", "extensionName", "trust", "autoApprove", "alwaysAllow", "alwaysLoad", "dev", "encoding",
	"encodingErrorHandler", "terminateOnClose", "supportsParallelToolCalls", "defaultToolsApprovalMode",
	"experimentalEnvironment", "keepAlive", "stderr", "restart", "reconnect", "automaticSSEFallback", "outputHandling")

// without are keys of clients that matter and have no effect here.
var without = map[string]string{
	"oauthResource":        "the server says itself what tokens for it are for",
	"auth":                 "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"authentication":       "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"authProvider":         "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"authProviderType":     "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"targetAudience":       "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"targetServiceAccount": "of signing in only \"oauth\" is read: set OAuthHandler of the connection",
	"headersHelper":        "no program is run for headers: set HeaderSource of the connection",
	"httpHeadersHelper":    "no program is run for headers: set HeaderSource of the connection",
	"sandbox":              "processes are not put into a sandbox",
	"sandboxEnabled":       "processes are not put into a sandbox",
	"httpxClientFactory":   "is Python: set Client of the connection",
	"sessionKwargs":        "is Python: set the options of the client",
	"includeTags":          "tools have no tags here: use includeTools",
	"excludeTags":          "tools have no tags here: use excludeTools",
	"tools":                "settings of single tools are not read: use includeTools and excludeTools, and interceptors",
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// canonical returns the canonical name of a key.
func canonical(key string) string {
	key = camel(key)
	if name, ok := aliases[key]; ok {
		return name
	}
	return key
}

// camel turns snake_case into camelCase; what is not lower case stays.
func camel(key string) string {
	if strings.HasPrefix(key, "_") || key != strings.ToLower(key) {
		return key
	}
	var b strings.Builder
	for i, word := range strings.Split(key, "_") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}
