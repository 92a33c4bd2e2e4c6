package config_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func newTransport(context.Context) (mcp.Transport, error) { return &mcp.StdioTransport{}, nil }

func newServer() *mcp.Server { return mcp.NewServer(&mcp.Implementation{Name: "s"}, nil) }

func TestValidate(t *testing.T) {
	tests := []struct {
		name       string
		connection config.Connection
		want       []config.Fault // without the server
	}{
		{"nil", nil, []config.Fault{{Problem: "the connection is nil"}}},
		{"nil Stdio", (*config.Stdio)(nil), []config.Fault{{Problem: "the connection is a nil *config.Stdio"}}},
		{"nil StreamableHTTP", (*config.StreamableHTTP)(nil), []config.Fault{{Problem: "the connection is a nil *config.StreamableHTTP"}}},
		{"nil SSE", (*config.SSE)(nil), []config.Fault{{Problem: "the connection is a nil *config.SSE"}}},
		{"nil InMemory", (*config.InMemory)(nil), []config.Fault{{Problem: "the connection is a nil *config.InMemory"}}},
		{"nil Custom", (*config.Custom)(nil), []config.Fault{{Problem: "the connection is a nil *config.Custom"}}},
		{"foreign type", struct{ config.Connection }{}, []config.Fault{{Problem: "struct { config.Connection } is no type of connection: use Custom"}}},
		{"foreign pointer", &struct{ config.Stdio }{}, []config.Fault{{Problem: "*struct { config.Stdio } is no type of connection: use Custom"}}},

		{"stdio", config.Stdio{
			Command:  "/opt/my server/bin -x",
			Args:     []string{"", "\n"},
			Env:      map[string]string{"A": "", "b c": "x=y\n"},
			Cwd:      "a~/b",
			Settings: config.Settings{CallTimeout: -1, ProtocolVersion: "2024-11-05", SessionPolicy: config.SessionShared},
		}, nil},
		{"stdio pointer", &config.Stdio{Command: "x"}, nil},
		{"stdio zero", &config.Stdio{}, []config.Fault{{Key: "command", Problem: "is required"}}},
		{"stdio blank", config.Stdio{Command: " \t"}, []config.Fault{{Key: "command", Problem: "is required"}}},
		{"stdio faults", config.Stdio{
			Command:          "~/x\x00",
			Args:             []string{"a", "b\x00"},
			Env:              map[string]string{"": "x", "A=hunter2": "x", "B\x00": "x", "C": "hunter2\x00"},
			Cwd:              "~",
			TerminateTimeout: -1,
			MaxMessageSize:   -1,
		}, []config.Fault{
			{Key: "args[1]", Problem: "holds a NUL byte"},
			{Key: "command", Problem: "holds a NUL byte"},
			{Key: "command", Problem: `starts with "~", which is not expanded: give the whole path`},
			{Key: "cwd", Problem: `starts with "~", which is not expanded: give the whole path`},
			{Key: "env.", Problem: "the name of a variable is empty"},
			{Key: "env.A=…", Problem: `the name of a variable holds "="`},
			{Key: "env.B\x00", Problem: "holds a NUL byte"},
			{Key: "env.C", Problem: "holds a NUL byte"},
			{Key: "maxMessageSize", Problem: "is negative: use 0 for the default"},
			{Key: "terminateTimeout", Problem: "is negative: use 0 for the default"},
		}},

		{"streamable", config.StreamableHTTP{
			URL: "https://user:pass@[::1]:8443/mcp?key=x",
			HTTP: config.HTTP{
				Headers: http.Header{"x-Key_1!": {"", "a\tb ü"}},
				Client:  &http.Client{Timeout: time.Second},
			},
		}, nil},
		{"streamable pointer", &config.StreamableHTTP{URL: "HTTP://h"}, nil},
		{"streamable zero", &config.StreamableHTTP{}, []config.Fault{{Key: "url", Problem: "is required"}}},
		{"streamable faults", config.StreamableHTTP{
			URL: "ftp://h",
			HTTP: config.HTTP{
				Headers:        http.Header{"": nil, "Authorization: hunter2": nil, "A": {"x", "hunter2\r\nB: c", "\n"}, "Ü": nil, "C": {"\x7f"}},
				MaxMessageSize: -1,
			},
			Settings: config.Settings{ConnectTimeout: -1},
		}, []config.Fault{
			{Key: "connectTimeout", Problem: "is negative: use 0 for the default"},
			{Key: "headers.", Problem: "is not a valid name of a header"},
			{Key: "headers.A", Problem: "the value holds a control character, such as a line break"},
			{Key: "headers.Authorization…", Problem: "is not a valid name of a header"},
			{Key: "headers.C", Problem: "the value holds a control character, such as a line break"},
			{Key: "headers.…", Problem: "is not a valid name of a header"},
			{Key: "maxMessageSize", Problem: "is negative: use 0 for the default"},
			{Key: "url", Problem: "does not start with http:// or https://"},
		}},

		{"sse", config.SSE{URL: "http://h:1/sse"}, nil},
		{"sse pointer", &config.SSE{URL: "http://h"}, nil},
		{"sse faults", config.SSE{
			HTTP:     config.HTTP{Headers: http.Header{"A b": nil}},
			Settings: config.Settings{ListTimeout: -1},
		}, []config.Fault{
			{Key: "headers.A…", Problem: "is not a valid name of a header"},
			{Key: "listTimeout", Problem: "is negative: use 0 for the default"},
			{Key: "url", Problem: "is required"},
		}},

		{"in memory", config.InMemory{Server: newServer(), Settings: config.Settings{SessionPolicy: config.SessionPerCall}}, nil},
		{"in memory pointer", &config.InMemory{Server: newServer()}, nil},
		{"in memory faults", config.InMemory{Settings: config.Settings{CloseTimeout: -1}}, []config.Fault{
			{Key: "closeTimeout", Problem: "is negative: use 0 for the default"},
			{Key: "server", Problem: "is nil: set the field Server"},
		}},

		{"custom", config.Custom{NewTransport: newTransport}, nil},
		{"custom pointer", &config.Custom{NewTransport: newTransport}, nil},
		{"custom faults", config.Custom{
			Name:     "x",
			Settings: config.Settings{ProtocolVersion: "2025", SessionPolicy: "none\n"},
		}, []config.Fault{
			{Key: "newTransport", Problem: "is nil: set the field NewTransport"},
			{Key: "protocolVersion", Problem: `"2025" is not known: use one of ` + strings.Join(mcp.SupportedProtocolVersions(), ", ")},
			{Key: "sessionPolicy", Problem: `"none\n" is not known: use "shared", "serialized", "per-call" or "per-identity"`},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := config.Connections{"s": tt.connection}.Validate()
			if len(tt.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			for i := range tt.want {
				tt.want[i].Server = "s"
			}
			if d := cmp.Diff(tt.want, faultsOf(t, nil, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestValidateURL(t *testing.T) {
	const none = "does not start with http:// or https://"
	const unparsable = "is not a URL: look at its port and its percent escapes"
	const blank = "holds a space or a control character"
	for url, want := range map[string]string{
		"hunter2":                     none,
		"hunter2:8000/mcp":            none,
		"/mcp":                        none,
		"//h/mcp":                     none,
		"wss://h/mcp":                 "websocket is not a transport of MCP: give a URL that starts with http:// or https://",
		"http:hunter2":                "names no host",
		"http://":                     "names no host",
		"http://:80/hunter2":          "names no host",
		"http://user:hunter2@":        "names no host",
		"http://h:hunter2/":           unparsable,
		"http://h:65536/":             "has a port above 65535",
		"http://u:hunter2#@h/":        unparsable,
		"http://h/%zzhunter2":         unparsable,
		"http://[::1/hunter2":         unparsable,
		"http://h/mcp ":               blank,
		"http://h/mcp\n":              blank,
		" http://h/mcp":               blank,
		"http://hunter2 h/mcp\x00":    blank,
		"http://h/mcp?key=%20hunter2": "",
	} {
		t.Run(url, func(t *testing.T) {
			err := config.Connections{"s": config.SSE{URL: url}}.Validate()
			if want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff([]config.Fault{{Server: "s", Key: "url", Problem: want}}, faultsOf(t, nil, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestValidateConnections(t *testing.T) {
	for _, valid := range []config.Connections{nil, {}} {
		if err := valid.Validate(); err != nil {
			t.Errorf("%#v: %v", valid, err)
		}
	}
	err := config.Connections{
		"b": config.SSE{URL: "x", Settings: config.Settings{ListTimeout: -1}},
		"":  config.Stdio{Command: "x"},
		"a": nil,
	}.Validate()
	want := []config.Fault{
		{Problem: "the name of a server is empty"},
		{Server: "a", Problem: "the connection is nil"},
		{Server: "b", Key: "listTimeout", Problem: "is negative: use 0 for the default"},
		{Server: "b", Key: "url", Problem: "does not start with http:// or https://"},
	}
	if d := cmp.Diff(want, faultsOf(t, nil, err)); d != "" {
		t.Errorf("faults differ (-want +got):\n%s", d)
	}
}

func TestValidateOneFaultIsOneLine(t *testing.T) {
	err := config.Connections{"s": config.Stdio{}}.Validate()
	if err == nil || err.Error() != `config: server "s": command: is required` {
		t.Errorf("error is %v", err)
	}
}
