package httpwire_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A visit is a request for a stream of the session.
type visit struct {
	After  time.Duration
	LastID string
}

// A script answers the requests for a stream, the last step every one after.
type script struct {
	steps []func(*http.Request) (*http.Response, error)

	mu     sync.Mutex
	start  time.Time
	visits []visit
	auths  []string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, context.Cause(req.Context())
	}
	s.mu.Lock()
	if s.start.IsZero() {
		s.start = time.Now()
	}
	step := s.steps[min(len(s.visits), len(s.steps)-1)]
	s.visits = append(s.visits, visit{time.Since(s.start), req.Header.Get("Last-Event-Id")})
	s.auths = append(s.auths, req.Header.Get("Authorization"))
	s.mu.Unlock()
	return step(req)
}

// requests is the number of requests so far.
func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.visits)
}

func status(code int, contentType, body string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		return reply(req, code, contentType, strings.NewReader(body)), nil
	}
}

func stream(text string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) { return events(req, text), nil }
}

// held is a stream that stays open after its first events.
func held(text string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		resp, w := openStream(req)
		go io.WriteString(w, text)
		return resp, nil
	}
}

// lasting is a stream that ends after a while.
func lasting(d time.Duration) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		resp, w := openStream(req)
		time.AfterFunc(d, func() { w.Close() })
		return resp, nil
	}
}

func refuse(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func never(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, context.Cause(req.Context())
}

// A watch reads a stream of the session line by line.
type watch struct {
	lines chan string
	body  io.Closer
	ended chan error
}

func openWatch(t *testing.T, rt http.RoundTripper, req *http.Request) *watch {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream was answered %d %q", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	w := &watch{lines: make(chan string, 10000), body: resp.Body, ended: make(chan error, 1)}
	go func() {
		scanner := bufio.NewScanner(resp.Body)
		for scanner.Scan() {
			if data, ok := strings.CutPrefix(scanner.Text(), "data: "); ok {
				w.lines <- data
			}
		}
		w.ended <- scanner.Err()
	}()
	return w
}

func (w *watch) received() []string {
	var all []string
	for {
		select {
		case line := <-w.lines:
			all = append(all, line)
		default:
			return all
		}
	}
}

func inSession(req *http.Request) *http.Request {
	req.Header.Set("Mcp-Session-Id", "s1")
	return req
}

type steps = []func(*http.Request) (*http.Response, error)
