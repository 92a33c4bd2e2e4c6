package httpwire_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

const endpoint = "http://server.test/mcp"

// baseFunc makes up the responses of a server.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, context.Cause(req.Context())
	}
	return f(req)
}

// reply is a response with a body of its own.
func reply(req *http.Request, status int, contentType string, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Header:        http.Header{"Content-Type": {contentType}},
		Body:          &contextBody{Reader: body, ctx: req.Context()},
		ContentLength: -1,
		Request:       req,
	}
}

// events is a response with a stream of these events that then ends.
func events(req *http.Request, stream string) *http.Response {
	return reply(req, http.StatusOK, "text/event-stream", strings.NewReader(stream))
}

// openStream is a response with a stream that does not end by itself.
func openStream(req *http.Request) (*http.Response, *io.PipeWriter) {
	r, w := io.Pipe()
	context.AfterFunc(req.Context(), func() { w.CloseWithError(context.Cause(req.Context())) })
	return reply(req, http.StatusOK, "text/event-stream", r), w
}

// contextBody fails once the context of its request has ended, as those of
// net/http do.
type contextBody struct {
	io.Reader
	ctx context.Context
}

func (b *contextBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.Reader.Read(p)
}

func (b *contextBody) Close() error {
	if c, ok := b.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// newPost is a POST as the SDK makes it.
func newPost(ctx context.Context, message string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(message))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return req
}

// newGet is a GET as the SDK makes it.
func newGet(ctx context.Context, lastEventID string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	return req
}

const callMessage = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}`

// do makes a request and returns its whole answer.
func do(t *testing.T, rt http.RoundTripper, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", req.Method, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("reading the answer: %v", err)
	}
	return resp, string(body)
}

// An sdkEvent is what the SDK makes of the lines of an event.
type sdkEvent struct{ Name, ID, Retry, Data string }

// sdkEvents reads a stream in the way of the SDK, and fails where it does.
func sdkEvents(tb testing.TB, stream string) []sdkEvent {
	tb.Helper()
	var all []sdkEvent
	var ev sdkEvent
	hasData := false
	for line := range strings.SplitSeq(stream, "\n") {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			if ev != (sdkEvent{}) {
				all = append(all, ev)
			}
			ev, hasData = sdkEvent{}, false
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			tb.Fatalf("the SDK would end the session at the line %q", line)
		}
		value = strings.TrimSpace(value)
		switch name {
		case "event":
			ev.Name = value
		case "id":
			ev.ID = value
		case "retry":
			ev.Retry = value
		case "data":
			if hasData {
				ev.Data += "\n"
			}
			ev.Data += value
			hasData = true
		}
	}
	if ev != (sdkEvent{}) {
		all = append(all, ev)
	}
	return all
}

// messages returns the data of events in the order in which the SDK would
// decode them, and fails if it could not.
func messages(tb testing.TB, stream string) []string {
	tb.Helper()
	var all []string
	for _, ev := range sdkEvents(tb, stream) {
		if ev.Data == "" || ev.Name != "" && ev.Name != "message" {
			continue
		}
		if _, err := jsonrpc.DecodeMessage([]byte(ev.Data)); err != nil {
			tb.Fatalf("the SDK would end the session at %q: %v", ev.Data, err)
		}
		all = append(all, ev.Data)
	}
	return all
}

var lineEnds = regexp.MustCompile("\r\n|\r|\n")

// specEvents reads a stream as the HTML specification says, all at once.
func specEvents(stream []byte) []sdkEvent {
	text := strings.TrimPrefix(string(stream), "\uFEFF")
	lines := lineEnds.Split(text, -1)
	var all []sdkEvent
	var name string
	var data []string
	for i, line := range lines {
		if i == len(lines)-1 {
			break // unfinished
		}
		if line == "" {
			if data != nil {
				all = append(all, sdkEvent{Name: name, Data: strings.Join(data, "\n")})
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data = append(data, value)
		}
	}
	return all
}

// A recorder notes what hooks are told.
type recorder struct {
	mu      sync.Mutex
	told    []string
	answers []httpwire.Answer
	lost    []error
	reopens int
}

func (r *recorder) hooks() httpwire.Hooks {
	return httpwire.Hooks{
		Inbound: func(_ context.Context, req *jsonrpc.Request) bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, req.Method)
			return true
		},
		Responded: func(_ context.Context, a httpwire.Answer) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.answers = append(r.answers, a)
		},
		Lost: func(err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.lost = append(r.lost, err)
		},
		Reopened: func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reopens++
		},
	}
}

// methods returns what Inbound was told since it was last asked.
func (r *recorder) methods() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := r.told
	r.told = nil
	return told
}

// listenOn listens on an address that was in use before.
func listenOn(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
