package config_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestSecrets(t *testing.T) {
	connections, err := config.Parse([]byte(`{
		"inputs": [{"id": "pin", "type": "promptString", "password": true}, {"id": "name", "type": "promptString"}],
		"servers": {
			"process": {"command": "${LONG}", "args": ["${SHORT}", "${LONG}", "${LONG:-x}", "${userHome}"], "env": {"PIN": "${input:pin}", "NAME": "${input:name}", "OWN": "written in the file"}},
			"web": {"url": "${URL}", "bearerTokenEnvVar": "SHORT"},
			"none": {"command": "x"}
		}
	}`), &config.ParseOptions{
		UserHome:  "/home/ada-lovelace",
		LookupEnv: environment(map[string]string{"LONG": "long enough", "SHORT": "short", "URL": "https://ada:hunter2@mcp.example.com/a/mcp"}),
		Input: func(_ context.Context, input config.Input) (string, error) {
			return map[string]string{"pin": "1234", "name": "Ada"}[input.ID], nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	process := connections["process"].(config.Stdio)
	for name, tt := range map[string]struct {
		connection config.Connection
		want       []string
	}{
		"process":      {process, []string{"1234", "long enough"}},
		"by pointer":   {&process, []string{"1234", "long enough"}},
		"web":          {connections["web"], []string{"https://ada:hunter2@mcp.example.com/a/mcp", "mcp.example.com", "short"}},
		"none":         {connections["none"], nil},
		"of no file":   {config.Stdio{Command: "long enough", Env: map[string]string{"A": "long enough"}}, nil},
		"no transport": {config.InMemory{}, nil},
		"nil":          {nil, nil},
	} {
		got := config.Secrets(tt.connection)
		slices.Sort(got)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
