package multiclient_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// forgetful serves streamable HTTP and can forget all its sessions.
func forgetful(t *testing.T, s *testserver.Server) (url string, forget func()) {
	var mu sync.Mutex
	fresh := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	}
	handler := fresh()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handler
		mu.Unlock()
		if r.URL.Path == "/redirected" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL, func() {
		mu.Lock()
		handler = fresh()
		mu.Unlock()
	}
}

func TestForgottenSessionIsReplaced(t *testing.T) {
	for name, redirected := range map[string]bool{"at once": false, "after a redirect": true} {
		t.Run(name, func(t *testing.T) { testForgottenSession(t, redirected) })
	}
}

func testForgottenSession(t *testing.T, redirected bool) {
	s := testserver.New("one")
	url, forget := forgetful(t, s)
	if redirected {
		url += "/redirected"
	}
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url}}, nil)
	for i := 1; i <= 3; i++ {
		// The server has not looked at the call, so that it may be repeated
		// although the tool does not say so.
		if got := call(t, c, "one", "count", nil); got != fmt.Sprint(i) {
			t.Errorf("count returned %q, want %d", got, i)
		}
		forget()
	}
	if n := s.Runs.Load(); n != 3 {
		t.Errorf("the tool ran %d times, want 3", n)
	}
}
