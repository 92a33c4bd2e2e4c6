package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A server without its token, its filter or its timeout is another one than the
// file says.
func TestKeysThatAreMissedAreFaults(t *testing.T) {
	for key, want := range map[string]string{
		"header":              "headers",
		"haeders":             "headers",
		"Headers":             "headers",
		"http_header":         "httpHeaders",
		"callTimout":          "callTimeout",
		"call-timeout":        "callTimeout",
		"calltimeout":         "callTimeout",
		"excludeTool":         "excludeTools",
		"include_tool":        "includeTools",
		"disable":             "disabled",
		"arg":                 "args",
		"ENV":                 "env",
		"bearerTokenEnv":      "",
		"cmd":                 "",
		"dev":                 "",
		"scope":               "",
		"timeouts":            "",
		"requires":            "",
		"tags":                "",
		"colour":              "",
		"_headers":            "", // switched off
		"_disabled":           "",
		"#args":               "",
		"//env":               "",
		"-headers":            "",
		"require":             "", // other clients may have it
		"oath":                "",
		"startup_timeout_s":   "",
		"tool_timeout_secs":   "toolTimeoutSec",
		"startup_timout_sec":  "startupTimeoutSec",
		"defaultToolTimeouts": "defaultToolTimeout",
	} {
		t.Run(key, func(t *testing.T) {
			file := []byte(`{"mcpServers": {"s": {"url": "http://h", "` + key + `": {"Authorization": "Bearer x"}}}}`)
			got, err := config.Parse(file, nil)
			if want == "" {
				if err != nil {
					t.Errorf("a key of another client is refused: %v", err)
				}
				return
			}
			faults := []config.Fault{{Server: "s", Key: key, Problem: `is not known: did you mean "` + want + `"?`}}
			if d := cmp.Diff(faults, faultsOf(t, got, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestKeyThatIsNearOneThatIsThereIsAWarning(t *testing.T) {
	result, err := config.Read(t.Context(), nil, config.Source{Data: []byte(`{"mcpServers": {"s": {"url": "http://h", "headers": {"A": "b"}, "header": "x"}}}`)})
	if err != nil || len(result.Connections) != 1 || len(result.Warnings) != 1 {
		t.Errorf("got %v, %v, %v, want a server and a warning", result.Connections, result.Warnings, err)
	}
}
