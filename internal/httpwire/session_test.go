package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// The stream of the session stays open to the SDK whatever the server does.
// Each request is expected within a range of time after the first.
func TestStandaloneStream(t *testing.T) {
	type within struct {
		lo, hi time.Duration
		lastID string
	}
	second := time.Second
	tests := map[string]struct {
		steps   steps
		want    []within // after the first; more are a fault
		quiet   bool     // the last of want is the last of all
		lost    bool
		reopens int
		got     []string
	}{
		"405":                   {steps: steps{status(405, "text/plain", "")}, quiet: true},
		"404 from the start":    {steps: steps{status(404, "text/plain", "404 page not found")}, quiet: true},
		"404 session not found": {steps: steps{status(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)}, quiet: true, lost: true},
		"400":                   {steps: steps{status(400, "text/plain", "bad")}, quiet: true},
		"400 no session":        {steps: steps{status(400, "text/plain", "Bad Request: No valid session ID provided")}, quiet: true, lost: true},
		"501":                   {steps: steps{status(501, "text/plain", "")}, quiet: true},
		"HTML":                  {steps: steps{status(200, "text/html", "<html>")}, quiet: true},
		"no content":            {steps: steps{status(204, "", "")}, quiet: true},
		"never answered":        {steps: steps{never}, quiet: true},
		"forgotten after open": {
			steps: steps{stream(""), status(404, "text/plain", "gone")},
			want:  []within{{second / 4, second, ""}}, quiet: true, lost: true,
		},
		"refused later": {
			steps: steps{stream(""), status(405, "text/plain", "")},
			want:  []within{{second / 4, second, ""}}, quiet: true,
		},
		"server errors": {
			steps: steps{status(500, "text/plain", ""), status(503, "text/event-stream", ""), refuse, held("data: " + note + "\n\n")},
			want:  []within{{second / 4, second, ""}, {second / 2, 3 * second, ""}, {2 * second, 6 * second, ""}}, quiet: true,
			got: []string{note},
		},
		"conflict": {
			steps: steps{stream(""), status(409, "text/plain", "Only one SSE stream"), held("")},
			want:  []within{{second / 4, second, ""}, {second / 2, 3 * second, ""}}, quiet: true, reopens: 1,
		},
		"idle drops": {
			steps: steps{lasting(time.Minute)},
			want: []within{
				{60 * second, 61 * second, ""}, {120 * second, 122 * second, ""}, {180 * second, 183 * second, ""},
				{240 * second, 244 * second, ""}, {300 * second, 305 * second, ""}, {360 * second, 366 * second, ""},
				{420 * second, 427 * second, ""}, {480 * second, 488 * second, ""}, {540 * second, 549 * second, ""},
			},
			reopens: 9,
		},
		"retry and resumption": {
			steps: steps{stream("id: 1\nretry: 3000\ndata: " + note + "\n\n"), stream("id: 2\ndata:\n\n"), held("data: " + note + "\n\n")},
			want:  []within{{3 * second, 3 * second, "1"}, {6 * second, 6 * second, "2"}}, quiet: true, reopens: 2,
			got: []string{note, note},
		},
		"busy server": {
			steps: steps{func(req *http.Request) (*http.Response, error) {
				resp := reply(req, 429, "text/plain", strings.NewReader("slow down"))
				resp.Header.Set("Retry-After", "20")
				return resp, nil
			}, held("")},
			want: []within{{20 * second, 20 * second, ""}}, quiet: true,
		},
		"id refused": {
			steps: steps{stream("id: 1\ndata:\n\n"), status(400, "text/plain", "Invalid event ID format"), held("")},
			want:  []within{{second / 4, second, "1"}, {second / 2, 3 * second, ""}}, quiet: true, reopens: 1,
		},
		"denied": {
			steps: steps{status(401, "text/plain", ""), status(403, "text/plain", ""), held("")},
			want:  []within{{300 * second, 300 * second, ""}, {600 * second, 600 * second, ""}}, quiet: true,
		},
		"noise": {
			steps: steps{held("garbage\n\ndata: " + strings.Repeat("x", 2000) + "\n\n: ping\n\ndata: {\n\ndata: " + note + "\n\n")}, quiet: true,
			got: []string{note},
		},
		"error without an id": {
			steps: steps{held(`data: {"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}` + "\n\ndata: " + answer + "\n\n")}, quiet: true,
			got: []string{answer},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := &script{steps: test.steps}
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{Base: base, Hooks: rec.hooks(), MaxMessage: 1000})
				began := time.Now()
				w := openWatch(t, wire, inSession(newGet(t.Context(), "")))
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("opening took %v", took)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if len(base.visits) < 1+len(test.want) || test.quiet && len(base.visits) > 1+len(test.want) {
					t.Fatalf("requests: %v", base.visits)
				}
				for i, want := range test.want {
					got := base.visits[i+1]
					if got.After < want.lo || got.After > want.hi || got.LastID != want.lastID {
						t.Errorf("request %d: %+v, want within %v and %v with the id %q", i+1, got, want.lo, want.hi, want.lastID)
					}
				}
				if diff := cmp.Diff(test.got, w.received()); diff != "" {
					t.Errorf("received (-want +got):\n%s", diff)
				}
				if (len(rec.lost) > 0) != test.lost {
					t.Errorf("Lost was told %v", rec.lost)
				}
				if len(rec.answers) > 0 {
					t.Errorf("Responded was told of a GET: %v", rec.answers)
				}
				if rec.reopens < test.reopens || test.quiet && rec.reopens > test.reopens {
					t.Errorf("Reopened was told %d times", rec.reopens)
				}
				select {
				case err := <-w.ended:
					t.Fatalf("the stream ended: %v", err)
				default:
				}
				wire.Close()
				if err := <-w.ended; !errors.Is(err, httpwire.ErrClosed) {
					t.Errorf("after Close the stream ended with %v", err)
				}
			})
		})
	}
}

// The wait for the answer is short once the request is written, and bounded
// before.
func TestStandaloneStreamIsNotWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		step func(*http.Request) (*http.Response, error)
		want time.Duration
	}{
		"connecting": {never, 2 * time.Second},
		"written": {func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			httptrace.ContextClientTrace(req.Context()).WroteRequest(httptrace.WroteRequestInfo{})
			return never(req)
		}, 1250 * time.Millisecond},
		"answered late": {func(req *http.Request) (*http.Response, error) {
			time.Sleep(1900 * time.Millisecond)
			return held("")(req)
		}, 1900 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := httpwire.New(httpwire.Options{Base: baseFunc(test.step)})
				defer wire.Close()
				began := time.Now()
				openWatch(t, wire, newGet(t.Context(), ""))
				if got := time.Since(began); got != test.want {
					t.Errorf("waited %v, want %v", got, test.want)
				}
			})
		})
	}
}

// A stream that was denied is tried at once when the SDK has a new token.
func TestStandaloneStreamWithNewToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &script{steps: steps{status(401, "text/plain", ""), held("data: " + note + "\n\n")}}
		wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				return reply(req, 202, "", strings.NewReader("")), nil
			}
			return base.RoundTrip(req)
		})})
		defer wire.Close()
		get := newGet(t.Context(), "")
		get.Header.Set("Authorization", "Bearer old")
		w := openWatch(t, wire, get)
		time.Sleep(time.Second)
		post := newPost(t.Context(), note)
		post.Header.Set("Authorization", "Bearer new")
		do(t, wire, post)
		synctest.Wait()
		if got := w.received(); !slices.Equal(got, []string{note}) {
			t.Errorf("received %v", got)
		}
		if diff := cmp.Diff([]string{"Bearer old", "Bearer new"}, base.auths); diff != "" {
			t.Error(diff)
		}
	})
}

// Everything ends with the session, and with the body.
func TestStandaloneStreamEnds(t *testing.T) {
	cause := errors.New("the session is over")
	for name, end := range map[string]func(context.CancelCauseFunc, context.CancelFunc, io.Closer){
		"session": func(session context.CancelCauseFunc, _ context.CancelFunc, _ io.Closer) { session(cause) },
		"request": func(_ context.CancelCauseFunc, request context.CancelFunc, _ io.Closer) { request() },
		"body":    func(_ context.CancelCauseFunc, _ context.CancelFunc, body io.Closer) { body.Close() },
	} {
		for state, step := range map[string]func(*http.Request) (*http.Response, error){
			"open": held("data: " + note + "\n\n"), "waiting": refuse, "silent": status(405, "", ""),
			"denied": status(401, "", ""), "pending": never,
		} {
			t.Run(name+"/"+state, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					session, endSession := context.WithCancelCause(t.Context())
					defer endSession(nil)
					ctx, endRequest := context.WithCancel(t.Context())
					defer endRequest()
					rec := new(recorder)
					base := &script{steps: steps{step}}
					wire := httpwire.New(httpwire.Options{Base: base, Context: session, Hooks: rec.hooks()})
					w := openWatch(t, wire, newGet(ctx, ""))
					end(endSession, endRequest, w.body)
					<-w.ended
					synctest.Wait()
					n := base.requests()
					time.Sleep(time.Hour)
					synctest.Wait() // synctest.Test fails if a goroutine is left
					if base.requests() != n {
						t.Errorf("there were requests after the end: %v", base.visits)
					}
				})
			})
		}
	}
}

// A stream that the SDK does not read from ends like the others.
func TestUnreadStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		wire := httpwire.New(httpwire.Options{Base: baseFunc(held(strings.Repeat("data: "+note+"\n\n", 1000)))})
		resp, err := wire.RoundTrip(newGet(ctx, ""))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		synctest.Wait() // synctest.Test fails if a goroutine is left
		if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v", err)
		}
	})
}

// Messages of the session's stream come with the session's context, since the
// SDK opens it with that of a call.
func TestStandaloneStreamContext(t *testing.T) {
	type key struct{}
	var told []any
	hooks := httpwire.Hooks{Headers: func(ctx context.Context) (http.Header, error) {
		told = append(told, ctx.Value(key{}))
		return nil, nil
	}}
	synctest.Test(t, func(t *testing.T) {
		var base any
		wire := httpwire.New(httpwire.Options{
			Context: context.WithValue(t.Context(), key{}, "session"),
			Hooks:   hooks,
			Base: baseFunc(func(req *http.Request) (*http.Response, error) {
				base = req.Context().Value(key{})
				return held("")(req)
			}),
		})
		defer wire.Close()
		openWatch(t, wire, newGet(context.WithValue(t.Context(), key{}, "a call"), ""))
		if diff := cmp.Diff([]any{"session"}, told); diff != "" {
			t.Error(diff)
		}
		if base != "a call" {
			t.Errorf("the base was given the values of %v, want those of the SDK", base)
		}
	})
}
