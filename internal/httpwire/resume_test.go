package httpwire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// A call's stream that breaks off is resumed until the response has come.
func TestCallStreamIsResumed(t *testing.T) {
	second := time.Second
	broken := func(text string) func(*http.Request) (*http.Response, error) {
		return func(req *http.Request) (*http.Response, error) {
			return reply(req, 200, "text/event-stream", io.MultiReader(strings.NewReader(text), errReader{})), nil
		}
	}
	tests := map[string]struct {
		steps  steps
		visits []visit // after the POST
		exact  bool    // times are the server's choice
		got    []string
		fails  string
		lost   bool
	}{
		"ended": {
			steps:  steps{stream("id: a\ndata: " + note + "\n\n"), stream("id: b\ndata: " + answer + "\n\n")},
			visits: []visit{{second, "a"}}, got: []string{note, answer},
		},
		"broken": {
			steps:  steps{broken("id: a\ndata: " + note + "\n\ndata: {"), stream("data: " + answer + "\n\n")},
			visits: []visit{{second, "a"}}, got: []string{note, answer},
		},
		"cut within an id": {
			steps:  steps{stream("id: a\ndata: \n\nid: ab"), stream("data: " + answer + "\n\n")},
			visits: []visit{{second, "a"}}, got: []string{answer},
		},
		"cut within the id of a message": {
			steps:  steps{stream("id: a\ndata: \n\ndata: " + note + "\nid: ab"), stream("data: " + answer + "\n\n")},
			visits: []visit{{second, "a"}}, got: []string{note, answer},
		},
		"polled": {
			steps: steps{
				stream("id: 1\nretry: 2000\ndata: \n\n"), stream("id: 2\ndata: \n\n"), stream("id: 3\ndata: \n\n"),
				stream("id: 4\ndata: \n\n"), stream("id: 5\ndata: \n\n"), stream("id: 6\ndata: \n\n"), stream("data: " + answer + "\n\n"),
			},
			visits: []visit{{2 * second, "1"}, {4 * second, "2"}, {6 * second, "3"}, {8 * second, "4"}, {10 * second, "5"}, {12 * second, "6"}},
			exact:  true, got: []string{answer},
		},
		"polled without news": {
			steps: steps{
				stream("id: 1\nretry: 1\ndata: \n\n"), stream(""), stream(""), stream(""), stream(""), stream(""), stream(""),
				stream("data: " + answer + "\n\n"),
			},
			visits: []visit{
				{time.Millisecond, "1"}, {501 * time.Millisecond, "1"}, {1001 * time.Millisecond, "1"}, {1501 * time.Millisecond, "1"},
				{2001 * time.Millisecond, "1"}, {2501 * time.Millisecond, "1"}, {3001 * time.Millisecond, "1"},
			},
			exact: true, got: []string{answer},
		},
		"a proxy that cuts idle streams": {
			steps: steps{
				stream("id: 1\ndata: \n\n"), lasting(time.Minute), lasting(time.Minute), lasting(time.Minute), lasting(time.Minute),
				lasting(time.Minute), lasting(time.Minute), stream("data: " + answer + "\n\n"),
			},
			visits: []visit{
				{second, "1"}, {62 * second, "1"}, {123 * second, "1"}, {184 * second, "1"}, {245 * second, "1"}, {306 * second, "1"}, {367 * second, "1"},
			},
			got: []string{answer},
		},
		"the id is reset": {
			steps: steps{stream("id: 1\ndata: \n\nid:\ndata: " + note + "\n\n")},
			got:   []string{note}, fails: "ended the stream of a call before its response",
		},
		"down for a while": {
			steps:  steps{stream("id: 1\ndata: \n\n"), refuse, status(503, "text/plain", ""), stream("data: " + answer + "\n\n")},
			visits: []visit{{second, "1"}, {3 * second, "1"}, {6 * second, "1"}}, got: []string{answer},
		},
		"down for good": {
			steps: steps{stream("id: 1\ndata: \n\n"), refuse},
			visits: []visit{
				{second, "1"}, {3 * second, "1"}, {6 * second, "1"}, {12 * second, "1"}, {24 * second, "1"}, {50 * second, "1"}, {95 * second, "1"}, {140 * second, "1"},
			},
			fails: "could not be resumed: connection refused",
		},
		"no resumption": {
			steps:  steps{stream("id: 1\ndata: \n\n"), status(405, "text/plain", "GET is\nnot allowed")},
			visits: []visit{{second, "1"}}, fails: "could not be resumed: HTTP 405 Method Not Allowed: GET is not allowed",
		},
		"resumed as a web page": {
			steps:  steps{stream("id: 1\ndata: \n\n"), status(200, "text/html", "<title>Sign in</title>")},
			visits: []visit{{second, "1"}}, fails: `the answer is of type "text/html", which is not MCP: <title>Sign in</title>`,
		},
		"denied": {
			steps:  steps{stream("id: 1\ndata: \n\n"), status(401, "text/plain", "")},
			visits: []visit{{second, "1"}}, fails: "HTTP 401 Unauthorized",
		},
		"session lost": {
			steps:  steps{stream("id: 1\ndata: \n\n"), status(404, "text/plain", "session not found")},
			visits: []visit{{second, "1"}}, fails: "HTTP 404 Not Found: session not found", lost: true,
		},
		"session lost after a resumption": {
			steps:  steps{stream("id: 1\ndata: \n\n"), stream("id: 2\ndata: \n\n"), status(404, "text/plain", "")},
			visits: []visit{{second, "1"}, {2 * second, "2"}}, fails: "HTTP 404 Not Found", lost: true,
		},
		"no streams by GET": {
			steps:  steps{stream("id: 1\ndata: \n\n"), status(404, "text/plain", "404 page not found")},
			visits: []visit{{second, "1"}}, fails: "HTTP 404 Not Found: 404 page not found",
		},
		"the same comes again": {
			steps:  steps{stream("id: 1\ndata: \n\n")},
			visits: []visit{{second, "1"}, {3 * second, "1"}, {6 * second, "1"}, {12 * second, "1"}, {24 * second, "1"}},
			fails:  "ended the stream of a call before its response",
		},
		"nothing comes": {
			steps:  steps{stream("id: 1\ndata: \n\n"), stream("")},
			visits: []visit{{second, "1"}, {3 * second, "1"}, {6 * second, "1"}, {12 * second, "1"}, {24 * second, "1"}},
			fails:  "ended the stream of a call before its response",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &script{steps: test.steps}
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{Base: base, Hooks: rec.hooks()})
				defer wire.Close()
				req := inSession(newPost(t.Context(), callMessage))
				req.Header.Set("Mcp-Method", "tools/call")
				req.Header.Set("Mcp-Param-Region", "eu")
				_, text := do(t, wire, req)
				got := messages(t, text)
				if test.fails != "" {
					if len(got) == 0 || !strings.Contains(got[len(got)-1], `"id":7,"error":{"code":-32051,`) || !strings.Contains(unquote(got[len(got)-1]), test.fails) {
						t.Fatalf("the call got %v, want an error that says %q", got, test.fails)
					}
					got = got[:len(got)-1]
				}
				if diff := cmp.Diff(test.got, got, cmp.Transformer("", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
					t.Errorf("received (-want +got):\n%s", diff)
				}
				visits := base.visits[1:]
				if len(visits) != len(test.visits) {
					t.Fatalf("resumed %v, want %v", visits, test.visits)
				}
				for i, want := range test.visits {
					got := visits[i]
					if got.LastID != want.LastID || test.exact && got.After != want.After || got.After > want.After {
						t.Errorf("resumption %d: %v, want %v", i+1, got, want)
					}
				}
				if (len(rec.lost) > 0) != test.lost {
					t.Errorf("Lost was told %v", rec.lost)
				}
				if len(rec.answers) != 1 || rec.answers[0].Status != 200 {
					t.Errorf("Responded was told %+v", rec.answers)
				}
			})
		})
	}
}

func unquote(s string) string {
	return strings.NewReplacer(`\"`, `"`, `\u003c`, "<", `\u003e`, ">").Replace(s)
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("reset by peer") }

// What goes with a resumption: the session, the newest token, what the owner
// adds for the call; nothing that describes the POST.
func TestResumptionHeaders(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var resumption *http.Request
		wire := httpwire.New(httpwire.Options{
			Hooks: httpwire.Hooks{Headers: func(ctx context.Context) (http.Header, error) {
				return http.Header{"X-Tenant": {ctx.Value(key{}).(string)}}, nil
			}},
			Base: baseFunc(func(req *http.Request) (*http.Response, error) {
				if req.Method == http.MethodGet {
					resumption = req
					return events(req, "data: "+answer+"\n\n"), nil
				}
				resp := events(req, "id: 1\nretry: 60000\ndata: \n\n")
				resp.Header.Set("Mcp-Session-Id", "new")
				return resp, nil
			}),
		})
		defer wire.Close()
		req := newPost(context.WithValue(t.Context(), key{}, "acme"), callMessage)
		for name, value := range map[string]string{
			"Authorization": "Bearer old", "Mcp-Protocol-Version": "2025-11-25", "Mcp-Method": "tools/call",
			"Mcp-Name": "echo", "Mcp-Param-Region": "eu",
		} {
			req.Header.Set(name, value)
		}
		time.AfterFunc(time.Second, func() {
			other := newPost(context.WithValue(t.Context(), key{}, "other"), note)
			other.Header.Set("Authorization", "Bearer new")
			do(t, wire, other)
			do(t, wire, newPost(context.WithValue(t.Context(), key{}, "another"), note))
		})
		do(t, wire, req)
		want := http.Header{
			"Accept":               {"text/event-stream"},
			"Authorization":        {"Bearer new"},
			"Last-Event-Id":        {"1"},
			"Mcp-Protocol-Version": {"2025-11-25"},
			"Mcp-Session-Id":       {"new"},
			"X-Tenant":             {"acme"},
		}
		if diff := cmp.Diff(want, resumption.Header); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
	})
}

// A call that is given up stops its stream wherever it is.
func TestCallStreamEnds(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"open": held("id: 1\ndata: " + note + "\n\n"), "waiting": stream("id: 1\nretry: 60000\ndata: " + note + "\n\n"),
	} {
		t.Run(name+"/call", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				wire := httpwire.New(httpwire.Options{Base: &script{steps: steps{step}}})
				w := openWatch(t, wire, newPost(ctx, callMessage))
				<-w.lines
				synctest.Wait()
				cancel()
				if err := <-w.ended; !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v", err)
				}
				if got := w.received(); got != nil {
					t.Errorf("received %v", got)
				}
				w.body.Close()
			})
		})
		t.Run(name+"/session", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := httpwire.New(httpwire.Options{Base: &script{steps: steps{step}}})
				w := openWatch(t, wire, newPost(t.Context(), callMessage))
				<-w.lines
				synctest.Wait()
				wire.Close()
				<-w.ended
				got := w.received()
				if len(got) != 1 || !strings.Contains(got[0], httpwire.ErrClosed.Error()) {
					t.Errorf("the call got %v", got)
				}
				w.body.Close()
				if _, err := wire.RoundTrip(newPost(t.Context(), callMessage)); !errors.Is(err, httpwire.ErrClosed) {
					t.Errorf("a request after Close: %v", err)
				}
			})
		})
		t.Run(name+"/body", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := httpwire.New(httpwire.Options{Base: &script{steps: steps{step}}})
				w := openWatch(t, wire, newPost(t.Context(), callMessage))
				<-w.lines
				synctest.Wait()
				w.body.Close()
				<-w.ended
			})
		})
	}
}

// The server's body is closed with that of the SDK, also while it is read.
func TestCallStreamIsClosed(t *testing.T) {
	for _, reading := range []bool{false, true} {
		t.Run(fmt.Sprint("reading ", reading), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &closeRecorder{}
				wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					resp, _ := openStream(req)
					body.ReadCloser = resp.Body
					resp.Body = body
					return resp, nil
				})})
				resp, err := wire.RoundTrip(newPost(t.Context(), callMessage))
				if err != nil {
					t.Fatal(err)
				}
				if reading {
					go io.Copy(io.Discard, resp.Body)
					synctest.Wait()
				}
				resp.Body.Close()
				synctest.Wait()
				if body.closed.Load() != 1 {
					t.Errorf("closed %d times", body.closed.Load())
				}
			})
		})
	}
}

type closeRecorder struct {
	io.ReadCloser
	closed atomic.Int32
}

func (c *closeRecorder) Close() error {
	c.closed.Add(1)
	return c.ReadCloser.Close()
}
