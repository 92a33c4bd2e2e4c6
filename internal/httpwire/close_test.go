package httpwire_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// Close leaves no connection, whatever was under way on it.
func TestCloseEndsConnections(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			opened, closed := make(chan struct{}, 1), make(chan struct{}, 1)
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				opened <- struct{}{}
				<-r.Context().Done()
			}))
			srv.EnableHTTP2 = http2
			srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					closed <- struct{}{}
				}
			}
			srv.StartTLS()
			t.Cleanup(srv.Close)
			rt := httpwire.New(httpwire.Options{})
			rt.Trust()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", "text/event-stream")
			resp, err := rt.Client(nil).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			<-opened
			rt.Close()
			select {
			case <-closed:
			case <-time.After(10 * time.Second):
				t.Error("the connection is still open")
				srv.CloseClientConnections()
			}
		})
	}
}
