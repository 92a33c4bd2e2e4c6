package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestOAuthHidesItsSecret(t *testing.T) {
	o := config.OAuth{ClientID: "me", ClientSecret: secret, Scopes: []string{"read"}, RedirectURL: "http://localhost:1/" + secret}
	c := config.StreamableHTTP{URL: "https://example.com", OAuth: o}
	for _, v := range []any{o, &o, c, &c, config.Connections{"s": c}, struct{ OAuth config.OAuth }{o}} {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s %d", v, v, v, v, v), string(encoded)} {
			if strings.Contains(shown, secret) {
				t.Errorf("a secret is shown: %s", shown)
			}
		}
	}
	if got, want := fmt.Sprint(o), "oauth (client, secret, 1 scope)"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
}

// TestOAuthSecretOfVariable: what a variable has put there is not shown where
// the file has put it into the URL, too.
func TestOAuthSecretOfVariable(t *testing.T) {
	got, err := config.Parse([]byte(`{"s": {"url": "https://example.com/${S}", "oauth": {"clientId": "me", "clientSecret": "${S}"}}}`),
		&config.ParseOptions{LookupEnv: environment(map[string]string{"S": secret})})
	if err != nil {
		t.Fatal(err)
	}
	if c := got["s"].(config.StreamableHTTP); c.OAuth.ClientSecret != secret || strings.Contains(c.String(), secret) {
		t.Errorf("the connection is %v", c)
	}
}

func TestValidateOAuth(t *testing.T) {
	for problem, o := range map[string]config.OAuth{
		"": {ClientID: "a", ClientSecret: "b", Scopes: []string{"read"}, RedirectURL: "http://localhost:8080/callback",
			Issuer: "https://login.example.com", ClientMetadataURL: "https://me.example.com/client.json"},
		"oauth.clientSecret: is there without clientId":                             {ClientSecret: "b"},
		"oauth.scopes[1]: is no scope: a scope is one word":                         {Scopes: []string{"a", "b c"}},
		"oauth.issuer: does not start with http:// or https://":                     {Issuer: "login"},
		"oauth.clientMetadataUrl: is not an https URL with a path":                  {ClientMetadataURL: "https://me.example.com/"},
		"oauth.redirectUrl: has no scheme: begin it with http:// or https://":       {RedirectURL: "127.0.0.1/callback"},
		"oauth.redirectUrl: is not a URL: look at its port and its percent escapes": {RedirectURL: "127.0.0.1:80/callback"},
		"oauth.redirectUrl: names no host":                                          {RedirectURL: "http:///callback"},
		"oauth.redirectUrl: has a fragment, which no redirect URL may have":         {RedirectURL: "http://h/#x"},
	} {
		err := config.Connections{"s": config.StreamableHTTP{URL: "https://h", OAuth: o}}.Validate()
		want := ""
		if problem != "" {
			want = `config: server "s": ` + problem
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("error is %q, want %q", got, want)
		}
	}
	if err := (config.Connections{"s": config.StreamableHTTP{URL: "https://h", OAuth: config.OAuth{RedirectURL: "com.example.app:/callback"}}}).Validate(); err != nil {
		t.Errorf("a scheme of the program's own: %v", err)
	}
}

// TestProjects: of ~/.claude.json the servers of one folder are used as well,
// and first.
func TestProjects(t *testing.T) {
	text := []byte(`{
		"mcpServers": {"all": {"command": "all"}, "both": {"command": "user"}},
		"projects": {
			"/src/other": {"mcpServers": {"other": {"command": "${UNSET}"}}},
			"/src/mine/": {"allowedTools": [], "mcpServers": {"both": {"command": "local"}, "mine": {"command": "mine"}}},
			"/src": {"mcpServers": {"above": {"command": "x"}}},
			"/src/none": {},
			"/src/off": {"disabledMcpServers": ["both", "off"], "mcpServers": {"off": {"command": "${UNSET}"}}}
		}
	}`)
	tests := []struct {
		path, folder string
		want         config.Connections
	}{
		{"/home/ada/.claude.json", "/src/mine", config.Connections{
			"all": config.Stdio{Command: "all"}, "both": config.Stdio{Command: "local"}, "mine": config.Stdio{Command: "mine"}}},
		{"/home/ada/.claude.json", "/src/none", config.Connections{"all": config.Stdio{Command: "all"}, "both": config.Stdio{Command: "user"}}},
		{"/home/ada/.claude.json", "", config.Connections{"all": config.Stdio{Command: "all"}, "both": config.Stdio{Command: "user"}}},
		{"/home/ada/.claude.json", "/src/off", config.Connections{"all": config.Stdio{Command: "all"}}},
		{"mcp.json", "/src/mine", config.Connections{"all": config.Stdio{Command: "all"}, "both": config.Stdio{Command: "user"}}},
	}
	for _, tt := range tests {
		result, err := config.Read(t.Context(), &config.ParseOptions{WorkspaceFolder: tt.folder}, config.Source{Path: tt.path, Data: text})
		if err != nil || len(result.Warnings) != 0 {
			t.Errorf("error %v, warnings %v", err, result.Warnings)
		}
		if d := diff(tt.want, result.Connections); d != "" {
			t.Errorf("%s for %q (-want +got):\n%s", tt.path, tt.folder, d)
		}
	}
	// Without any for all, and with the same name twice.
	result, err := config.Read(t.Context(), &config.ParseOptions{WorkspaceFolder: "/p"}, config.Source{Path: ".claude.json",
		Data: []byte(`{"projects": {"/p": {"mcpServers": {"s": {"command": "x"}, "s": {"command": "y"}}}}}`)})
	if want := `config: .claude.json:1:60: server "s": is there more than once: the first is on line 1`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if d := cmp.Diff(1, len(result.Origins)); d != "" {
		t.Error(d)
	}
}
