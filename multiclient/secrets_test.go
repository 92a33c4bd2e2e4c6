package multiclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An account is what a client tells: in errors, to callbacks and in logs.
type account struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *account) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *account) error(err error) {
	fmt.Fprintf(j, "%v\n%+v\n%#v\n", err, err, err)
	for _, e := range multiclient.ServerErrors(err) {
		fmt.Fprintf(j, "%v\n%s\n", e.Err, e.Detail)
	}
}

func (j *account) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// failing uses the servers of a file, none of which works, and returns all
// that it is told of them.
func failing(t *testing.T, file string, variables map[string]string, client *http.Client) string {
	t.Helper()
	connections, err := config.Parse([]byte(file), &config.ParseOptions{
		LookupEnv: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
		Input:     func(_ context.Context, input config.Input) (string, error) { return variables[input.ID], nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range connections {
		switch c := c.(type) {
		case config.StreamableHTTP:
			c.Client = client
			connections[name] = c
		case config.SSE:
			c.Client = client
			connections[name] = c
		}
	}
	var j account
	c, err := multiclient.New(connections, &multiclient.Options{
		Logger: slog.New(slog.NewJSONHandler(&j, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Callbacks: callbacks.Callbacks{
			OnMessage: func(_ context.Context, _ callbacks.CallbackContext, msg callbacks.Message) { j.error(msg.Err) },
			OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
				j.error(change.Err)
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time by what is remembered of the first
		_, err = c.Tools(t.Context())
		if n := len(multiclient.ServerErrors(err)); n != len(connections) {
			t.Errorf("%d of %d servers failed", n, len(connections))
		}
		j.error(err)
	}
	for name := range connections {
		_, err := c.CallTool(t.Context(), name, "x", nil)
		j.error(err)
	}
	status, err := json.Marshal(c.Status())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&j, "%s %v %+v\n", status, c.Status(), connections)
	if err := c.Close(); err != nil {
		j.error(err)
	}
	return j.String()
}

// noHosts is a client that finds none.
func noHosts() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(address)
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	}}}
}

// TestSecretsOfVariables: what a variable has put anywhere into a connection is
// in no error of the system that stumbles on it.
func TestSecretsOfVariables(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal("a shell is needed: ", err)
	}
	secret := func() string { return strings.ToLower(authserver.Secret()) }
	variables := map[string]string{
		"COMMAND": "/opt/" + secret() + "/bin/server", "FOLDER": secret(), "ARG": secret(), "ENV": secret(), "CWD": secret(),
		"HOST": secret() + ".example", "SHORT": "s3cr3t", "PATH_": secret(), "QUERY": secret(), "USER": secret(), "HEADER": secret(),
		"URL": "http://" + secret() + ".example:8080/" + secret() + "/mcp", "SH": sh, "key": "hunter2",
	}
	file := `{
		"inputs": [{"id": "key", "type": "promptString", "password": true}],
		"servers": {
			"command": {"command": "${COMMAND}"},
			"folder": {"command": "./${FOLDER}/server", "cwd": "/"},
			"name": {"command": "${FOLDER}"},
			"cwd": {"command": "${SH}", "cwd": "/${CWD}"},
			"echo": {"command": "${SH}", "args": ["-c", "echo bad $1 $2 $TOKEN $KEY >&2; echo $1; exit 3", "sh", "${ARG}", "x${input:key}"], "env": {"TOKEN": "${ENV}", "KEY": "${input:key}"}},
			"host": {"url": "http://${HOST}/mcp"},
			"path": {"url": "http://nowhere.example/${PATH_}/mcp"},
			"short": {"url": "http://nowhere.example/${input:key}/mcp"},
			"query": {"url": "http://${USER}:${USER}@nowhere.example/mcp?key=${QUERY}", "headers": {"X-Key": "${HEADER}"}},
			"whole": {"url": "${URL}"},
			"old": {"url": "http://${HOST}/${PATH_}/sse", "headers": {"X-Key": "${HEADER}"}}
		}
	}`
	got := failing(t, file, variables, noHosts())
	for name, value := range variables {
		if name == "SH" || name == "SHORT" {
			continue
		}
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("/:.", r) }) {
			if (strings.HasPrefix(part, authserver.Marker) || name == "key") && strings.Contains(got, part) {
				t.Errorf("the value of %s is told", name)
			}
		}
	}
	for _, want := range []string{"no such host", "no such file or directory", "exited with status 3", "[hidden]"} {
		if !strings.Contains(got, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// TestSecretsOfServers: a server that repeats what it was sent, and where.
func TestSecretsOfServers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "no %s, with %v", r.URL, r.Header)
	}))
	t.Cleanup(server.Close)
	srv := server.URL
	variables := map[string]string{"PATH_": authserver.Secret(), "QUERY": authserver.Secret(), "HEADER": authserver.Secret()}
	got := failing(t, `{
		"new": {"url": "`+srv+`/${PATH_}/mcp?key=${QUERY}", "headers": {"X-Key": "${HEADER}"}},
		"old": {"url": "`+srv+`/${PATH_}/sse?key=${QUERY}", "headers": {"X-Key": "${HEADER}"}}
	}`, variables, nil)
	if strings.Contains(got, authserver.Marker) {
		t.Error("a secret is told")
	}
	if !strings.Contains(got, "418") {
		t.Error("nothing says what the server answered")
	}
}

// TestWordsOfVariables: values that are short are left in place, so that texts
// stay what they are.
func TestWordsOfVariables(t *testing.T) {
	got := failing(t, `{"one": {"command": "${ROOT}/nonesuch1", "args": ["${N}"]}, "two": {"url": "http://nowhere.example:${PORT}/mcp"}}`,
		map[string]string{"ROOT": "/usr", "N": "1", "PORT": "8080"}, noHosts())
	for _, want := range []string{"/usr/nonesuch1", "lookup nowhere.example: no such host"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told", want)
		}
	}
	if strings.Contains(got, "[hidden]") {
		t.Errorf("words are hidden: %s", got)
	}
}
