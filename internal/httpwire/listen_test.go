package httpwire_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

const listenMessage = `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{}}}`

func TestListen(t *testing.T) {
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`
	tests := map[string]struct {
		steps   steps
		visits  int
		reopens int
		got     []string
		ends    bool
	}{
		"open":           {steps{held("data: " + ack + "\n\n")}, 1, 0, []string{ack}, false},
		"never answered": {steps{never}, 1, 0, nil, false},
		"reopened":       {steps{stream("data: " + ack + "\n\n"), held("data: " + note + "\n\n")}, 2, 1, []string{ack, note}, false},
		"noise":          {steps{held("data: {\n\ndata: " + ack + "\n\n")}, 1, 0, []string{ack}, false},
		"ended by the server": {
			steps{stream("data: " + ack + "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n\n"), held("data: " + note + "\n\n")},
			2, 1, []string{ack, note}, false,
		},
		"down": {steps{refuse, status(503, "text/plain", ""), held("")}, 3, 0, nil, false},
		"unsupported": {
			steps{status(404, "application/json", `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}`)},
			1, 0, []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32050,"message":"HTTP 404 Not Found: no such method"}}`}, true,
		},
		"refused on the stream": {
			steps{stream(`data: {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no\u0007"}}` + "\n\n")},
			1, 0, []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32050,"message":"error -32602: no"}}`}, true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &script{steps: test.steps}
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{Base: base, Hooks: rec.hooks()})
				began := time.Now()
				w := openWatch(t, wire, newPost(t.Context(), listenMessage))
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("opening took %v", took)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if len(base.visits) != test.visits || rec.reopens != test.reopens {
					t.Errorf("%d requests and %d times open again, want %d and %d", len(base.visits), rec.reopens, test.visits, test.reopens)
				}
				if diff := cmp.Diff(test.got, w.received()); diff != "" {
					t.Errorf("received (-want +got):\n%s", diff)
				}
				for _, a := range rec.answers {
					if a.Method != "subscriptions/listen" || a.Status == 0 && a.Err == nil {
						t.Errorf("Responded was told %+v", a)
					}
				}
				if test.ends {
					if err := <-w.ended; err != nil {
						t.Errorf("the stream ended with %v", err)
					}
				}
				wire.Close()
				if !test.ends {
					<-w.ended
				}
			})
		})
	}
}
