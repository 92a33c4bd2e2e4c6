package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A header source that does not return costs no more than the timeouts say.
func TestBlockedHeaderSource(t *testing.T) {
	leak.Check(t)
	s := newServer(t)
	free := make(chan struct{})
	type stuck struct{}
	block := func(ctx context.Context) (http.Header, error) {
		if ctx.Value(stuck{}) != nil {
			<-free // does not watch its context
		}
		return nil, nil
	}
	defer close(free)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{
		URL: s.HTTP(t, false), HTTP: config.HTTP{HeaderSource: block},
		Settings: config.Settings{ConnectTimeout: time.Second, CallTimeout: time.Second},
	}}, nil)
	ctx := context.WithValue(t.Context(), stuck{}, true)
	start := time.Now()
	if _, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": "x"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first use gave %v", err)
	}
	eventually(t, func() bool {
		_, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"})
		return err == nil
	})
	if _, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": "x"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call gave %v", err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What was sent is not to be read in errors, whoever repeats it.
func TestSecretsThatServersRepeat(t *testing.T) {
	const secret = "s3cr3t-value-of-mine"
	leaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprintf("bad request: %s %v", r.URL, r.Header), http.StatusBadRequest)
	}))
	t.Cleanup(leaky.Close)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, leaky.URL+r.URL.String(), http.StatusTemporaryRedirect)
	}))
	t.Cleanup(elsewhere.Close)
	slash := httptest.NewServer(nil)
	slash.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/") {
			r.URL.Path += "/"
			http.Redirect(w, r, r.URL.String(), http.StatusTemporaryRedirect)
			return
		}
		panic(http.ErrAbortHandler)
	})
	t.Cleanup(slash.Close)
	script := testserver.Script{"leak": `!{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"the token ` + secret + ` is bad"}}`}
	process := script.Stdio(t)
	process.Env["TOKEN"] = secret
	url := func(srv *httptest.Server) string {
		return strings.Replace(srv.URL, "http://", "http://user:"+secret+"@", 1) + "/" + secret + "-padding/mcp?key=" + secret
	}
	header := config.HTTP{Headers: http.Header{"X-Token": {secret}}}
	connections := config.Connections{
		"leaky":     config.StreamableHTTP{URL: url(leaky), HTTP: header},
		"sse":       config.SSE{URL: url(leaky), HTTP: header},
		"elsewhere": config.StreamableHTTP{URL: url(elsewhere), HTTP: header},
		"slash":     config.StreamableHTTP{URL: url(slash), HTTP: header},
		"process":   process,
	}
	var f faults
	c := newClient(t, connections, &multiclient.Options{Callbacks: f.callbacks()})
	var told []string
	for name := range connections {
		_, err := c.CallTool(t.Context(), name, "leak", nil)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		told = append(told, fmt.Sprintf("%s: %v", name, err))
	}
	for _, st := range c.Status() {
		told = append(told, fmt.Sprintf("%s: %v", st.Name, st.LastError))
	}
	for _, text := range append(told, f.told()...) {
		if strings.Contains(text, secret) {
			t.Errorf("a secret is shown: %s", text)
		}
	}
}
