package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

const secret = "hunter2"

// secretive has a secret in every place that a connection must not show.
func secretive() []config.Connection {
	stdio := config.Stdio{
		Command: "npx",
		Args:    []string{"--token=" + secret, secret},
		Env:     map[string]string{"TOKEN": secret},
		Cwd:     "/" + secret,
		Stderr:  bytes.NewBufferString(secret),
	}
	http := config.HTTP{
		Headers:      http.Header{"Authorization": {"Bearer " + secret}},
		HeaderSource: func(context.Context) (http.Header, error) { return nil, nil },
		Client:       &http.Client{},
	}
	url := "https://user:" + secret + "@example.com:8443/mcp?key=" + secret + "#" + secret
	streamable := config.StreamableHTTP{URL: url, HTTP: http}
	sse := config.SSE{URL: url, HTTP: http}
	inMemory := config.InMemory{Server: newServer()}
	custom := config.Custom{NewTransport: newTransport, Name: "pipe"}
	return []config.Connection{
		stdio, &stdio, streamable, &streamable, sse, &sse, inMemory, &inMemory, custom, &custom,
	}
}

func TestConnectionsHideSecrets(t *testing.T) {
	connections := config.Connections{"nil": nil, "nil pointer": (*config.Stdio)(nil)}
	values := []any{}
	for i, c := range secretive() {
		connections[fmt.Sprint(i)] = c
		values = append(values, c)
		switch c := c.(type) {
		case config.StreamableHTTP:
			values = append(values, c.HTTP, &c.HTTP, struct{ HTTP config.HTTP }{c.HTTP})
		case *config.StreamableHTTP:
			values = append(values, struct{ Any any }{c}, []*config.StreamableHTTP{c})
		}
	}
	values = append(values, connections, &connections, struct{ Connections config.Connections }{connections})

	check := func(t *testing.T, output string) {
		t.Helper()
		for _, part := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprint([]byte(secret))} {
			if strings.Contains(output, part) {
				t.Errorf("a secret is shown: %s", output)
			}
		}
		if output == "" {
			t.Error("nothing is shown")
		}
	}
	for _, v := range values {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%c", "%t", "%e", "%U", "%60v", "%!"} {
				check(t, fmt.Sprintf(verb, v))
			}
			check(t, fmt.Sprintln(v))
			check(t, fmt.Errorf("wrapped: %v", v).Error())

			encoded, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			check(t, string(encoded))

			for _, handler := range []func(io.Writer) slog.Handler{
				func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
				func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
			} {
				var log bytes.Buffer
				slog.New(handler(&log)).Info("connect", "to", v, slog.Group("g", "to", v))
				check(t, log.String())
			}
		})
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		connection config.Connection
		want       string
	}{
		{config.Stdio{Command: "python", Args: []string{"a", "b"}}, `stdio "python" (2 args)`},
		{config.Stdio{Command: "/opt/my server", Args: []string{"a"}}, `stdio "/opt/my server" (1 arg)`},
		{config.Stdio{}, `stdio ""`},
		{config.Stdio{Command: "npx server --token=hunter2"}, `stdio "npx server …"`},
		{config.Stdio{Command: "a\x1b[31m"}, `stdio "a\x1b[31m"`},
		{config.Stdio{Command: strings.Repeat("a", 1000)}, `stdio "` + strings.Repeat("a", 80) + `…"`},
		{config.StreamableHTTP{URL: "https://example.com"}, "streamable_http https://example.com"},
		{config.StreamableHTTP{URL: "https://u:p@example.com:1/mcp/?q#f"}, "streamable_http https://example.com:1/mcp/"},
		{config.StreamableHTTP{URL: "https://example.com/s/0123456789abcdef01234/mcp"}, "streamable_http https://example.com/s/…/mcp"},
		{config.StreamableHTTP{URL: "https://example.com/a;key=b/c%3Fkey=d/@e"}, "streamable_http https://example.com/…/…/…"},
		{config.StreamableHTTP{URL: "https://u:123/hunter2@example.com/"}, "streamable_http https://u:123/…/"},
		{config.StreamableHTTP{URL: "https://u:hunter2/@example.com/"}, "streamable_http (invalid URL)"},
		{config.StreamableHTTP{URL: "hunter2:hunter2"}, "streamable_http (invalid URL)"},
		{config.SSE{URL: "http://example.com/sse"}, "sse http://example.com/sse"},
		{config.SSE{}, "sse (invalid URL)"},
		{config.InMemory{}, "in_memory"},
		{config.Custom{}, "custom"},
		{config.Custom{Name: "my pipe"}, `custom "my pipe"`},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			if got := tt.connection.String(); got != tt.want {
				t.Errorf("String() = %s, want %s", got, tt.want)
			}
			if name, _, _ := strings.Cut(tt.want, " "); tt.connection.Transport() != name {
				t.Errorf("Transport() = %s, want %s", tt.connection.Transport(), name)
			}
			if got := fmt.Sprintf("%#v", tt.connection); got != tt.want {
				t.Errorf("%%#v gives %s, want %s", got, tt.want)
			}
			if got, want := fmt.Sprintf("%q", tt.connection), fmt.Sprintf("%q", tt.want); got != want {
				t.Errorf("%%q gives %s, want %s", got, want)
			}
			if got, want := fmt.Sprintf("%-80v|", tt.connection), fmt.Sprintf("%-80s|", tt.want); got != want {
				t.Errorf("%%-80v gives %s, want %s", got, want)
			}
		})
	}
	for n, want := range map[int]string{0: "http (0 headers)", 1: "http (1 header)", 2: "http (2 headers)"} {
		headers := http.Header{}
		for i := range n {
			headers.Set(fmt.Sprint("X-", i), secret)
		}
		if got := fmt.Sprint(config.HTTP{Headers: headers}); got != want {
			t.Errorf("HTTP with %d headers is %q, want %q", n, got, want)
		}
	}
}

func TestCommon(t *testing.T) {
	settings := config.Settings{CallTimeout: 5, SessionPolicy: config.SessionPerCall}
	for _, c := range []config.Connection{
		config.Stdio{Settings: settings},
		&config.Stdio{Settings: settings},
		config.StreamableHTTP{Settings: settings},
		config.SSE{Settings: settings},
		config.InMemory{Settings: settings},
		config.Custom{Settings: settings},
	} {
		if got := c.Common(); !cmp.Equal(got, settings) {
			t.Errorf("%T: Common() = %v, want %v", c, got, settings)
		}
	}
}
