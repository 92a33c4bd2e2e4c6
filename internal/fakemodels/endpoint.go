package fakemodels

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// An Endpoint is a server that plays one API.
type Endpoint struct {
	// URL is what a client takes for the base of the API.
	URL string

	api      api
	mu       sync.Mutex
	script   []Turn
	requests []*Request
	refused  []string
	calls    int
}

// An api is what distinguishes the providers.
type api struct {
	// route looks at all but the body.
	route func(r *http.Request) (stream bool, err error)

	// read reads a request and holds it against the rules. An error is what
	// the API would say.
	read func(body map[string]any) (*Request, error)

	// answer writes an answer; ids are those of its calls.
	answer func(w http.ResponseWriter, turn Turn, ids []string, stream bool)

	// refuse writes an error.
	refuse func(w http.ResponseWriter, status int, message string)

	// id returns the id of the nth call.
	id func(n int) string
}

func start(tb testing.TB, a api, path string, script []Turn) *Endpoint {
	tb.Helper()
	e := &Endpoint{api: a, script: script}
	server := httptest.NewServer(e)
	tb.Cleanup(server.Close)
	e.URL = server.URL + path
	return e
}

// Requests returns the requests that were answered.
func (e *Endpoint) Requests() []*Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Request(nil), e.requests...)
}

// Refused returns why requests were refused.
func (e *Endpoint) Refused() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.refused...)
}

// Left returns how many turns of the script were not played.
func (e *Endpoint) Left() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.script)
}

// ServeHTTP implements [http.Handler].
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	refuse := func(status int, message string) {
		e.refused = append(e.refused, message)
		w.Header().Set("Content-Type", "application/json")
		e.api.refuse(w, status, message)
	}
	stream, err := e.api.route(r)
	if err != nil {
		refuse(http.StatusNotFound, err.Error())
		return
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(http.StatusBadRequest, "the body is no JSON object: "+err.Error())
		return
	}
	request, err := e.api.read(body)
	if err != nil {
		refuse(http.StatusBadRequest, err.Error())
		return
	}
	request.Body, request.Stream = body, stream || body["stream"] == true
	if len(e.script) == 0 {
		refuse(http.StatusBadRequest, "script: no turn is left")
		return
	}
	turn := e.script[0]
	if turn.Check != nil {
		err = turn.Check(request)
	}
	for _, call := range turn.Calls {
		if err == nil && request.Tool(call.Tool) == nil {
			err = fmt.Errorf("the tool %s is not offered", call.Tool)
		}
	}
	if err != nil {
		refuse(http.StatusBadRequest, "script: "+err.Error())
		return
	}
	e.script = e.script[1:]
	e.requests = append(e.requests, request)
	ids := make([]string, len(turn.Calls))
	for i := range ids {
		e.calls++
		ids[i] = e.api.id(e.calls)
	}
	w.Header().Set("Content-Type", "application/json")
	e.api.answer(w, turn, ids, request.Stream)
}
