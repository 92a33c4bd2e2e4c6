package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Bounds of elicitation in url mode.
const (
	// maxVisits is how often a request is sent again after its server has
	// wanted a URL to be visited first (error -32042).
	maxVisits = 3
	// maxURLs is how many URLs one such error may list.
	maxURLs = 8
	// completionWait bounds the wait for the server to say that a URL has been
	// dealt with. It need not say so at all.
	completionWait = 2 * time.Minute
	// maxRemembered bounds the ids that are remembered in case of a
	// notification that comes late or early, and maxID how long each may be.
	maxRemembered = 256
	maxID         = 1024
)

// visits remembers elicitations in url mode by their ids.
type visits struct {
	mu        sync.Mutex
	contexts  recent[callbacks.CallbackContext] // who asked
	completed recent[struct{}]                  // before anybody waited
	waiting   map[string][]chan struct{}
}

// asked records which call an elicitation belongs to.
func (v *visits) asked(id string, cc callbacks.CallbackContext) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.contexts.put(id, cc)
}

// owner returns which call an elicitation belongs to, if that is known.
func (v *visits) owner(id string) (callbacks.CallbackContext, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.contexts.get(id)
}

// wake closes what is waited on for the id, and remembers nothing.
func (v *visits) wake(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.release(id)
}

// release closes what is waited on for the id. v.mu is held.
func (v *visits) release(id string) {
	for _, done := range v.waiting[id] {
		close(done)
	}
	delete(v.waiting, id)
}

// complete records that an elicitation is completed, for those that wait, or for
// the next that will.
func (v *visits) complete(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	awaited := len(v.waiting[id]) > 0
	v.release(id)
	if !awaited && len(id) <= maxID {
		v.completed.put(id, struct{}{})
	}
}

// await returns a channel that is closed when the elicitation is completed, at
// once if it is already.
func (v *visits) await(id string) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	done := make(chan struct{})
	if v.completed.take(id) { // once: the server may use the id again
		close(done)
		return done
	}
	if v.waiting == nil {
		v.waiting = map[string][]chan struct{}{}
	}
	v.waiting[id] = append(v.waiting[id], done)
	return done
}

// forget drops the channel of a wait that is over.
func (v *visits) forget(id string, done <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, d := range v.waiting[id] {
		if d == done {
			v.waiting[id] = append(v.waiting[id][:i], v.waiting[id][i+1:]...)
			break
		}
	}
	if len(v.waiting[id]) == 0 {
		delete(v.waiting, id)
	}
}

// recent is a map that keeps the latest entries.
type recent[V any] struct {
	entries map[string]V
	order   []string
}

func (r *recent[V]) put(key string, v V) {
	if r.entries == nil {
		r.entries = map[string]V{}
	}
	if _, ok := r.entries[key]; !ok {
		if len(r.order) == maxRemembered {
			delete(r.entries, r.order[0])
			r.order = r.order[1:]
		}
		r.order = append(r.order, key)
	}
	r.entries[key] = v
}

// take forgets an entry, and reports whether there was one.
func (r *recent[V]) take(key string) bool {
	_, ok := r.entries[key]
	if ok {
		delete(r.entries, key)
		r.order = slices.DeleteFunc(r.order, func(k string) bool { return k == key })
	}
	return ok
}

func (r *recent[V]) get(key string) (V, bool) {
	v, ok := r.entries[key]
	return v, ok
}

// visiting sends a request, and again after the URLs that its server wants to
// be visited first have been (error -32042, which the SDK leaves to its user).
func (t *Tracker) visiting(c *Call, cs *mcp.ClientSession, send func(mcp.Params) (mcp.Result, error)) func(mcp.Params) (mcp.Result, error) {
	if t.callbacks.OnElicitation == nil || !t.callbacks.URLElicitation {
		unset := "URLElicitation"
		if t.callbacks.OnElicitation == nil {
			unset = "OnElicitation"
		}
		return func(params mcp.Params) (mcp.Result, error) {
			res, err := send(params)
			if required := (*jsonrpc.Error)(nil); errors.As(err, &required) && required.Code == mcp.CodeURLElicitationRequired {
				err = fmt.Errorf("%w (the server wants URLs to be visited first, and callbacks.Callbacks.%s is not set)", err, unset)
			}
			return res, err
		}
	}
	return func(params mcp.Params) (mcp.Result, error) {
		for attempt := 1; ; attempt++ {
			res, err := send(params)
			var required *jsonrpc.Error
			if !errors.As(err, &required) || required.Code != mcp.CodeURLElicitationRequired || attempt > maxVisits {
				return res, err
			}
			if err := t.visit(c, cs, required); err != nil {
				return nil, &AnswerError{err}
			}
			params = again(params)
		}
	}
}

// again returns a copy of the parameters of a request to be sent once more.
func again(params mcp.Params) mcp.Params {
	switch p := params.(type) {
	case *mcp.CallToolParams:
		return withInput(params, p.InputResponses, p.RequestState)
	case *mcp.GetPromptParams:
		return withInput(params, p.InputResponses, p.RequestState)
	case *mcp.ReadResourceParams:
		return withInput(params, p.InputResponses, p.RequestState)
	}
	return params
}

// visit asks the user to visit each of the URLs and waits until that is done.
func (t *Tracker) visit(c *Call, cs *mcp.ClientSession, required *jsonrpc.Error) error {
	var data struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	if err := json.Unmarshal(required.Data, &data); err != nil {
		return fmt.Errorf("the list of URLs to visit does not parse: %w", required)
	}
	if n := len(data.Elicitations); n == 0 || n > maxURLs {
		return fmt.Errorf("the server wants %d URLs to be visited, not 1 to %d: %w", n, maxURLs, required)
	}
	for _, p := range data.Elicitations {
		if p == nil || p.Mode != "" && p.Mode != "url" {
			return fmt.Errorf("the list of URLs to visit holds an elicitation of another mode: %w", required)
		}
		p.Mode = "url"
		if err := checkURL(p); err != nil {
			return fmt.Errorf("%w: %w", err, required)
		}
	}
	for _, p := range data.Elicitations {
		// Before asking, or the notification may come unnoticed.
		done := t.urls.await(p.ElicitationID)
		err := t.visitOne(c, cs, p, done)
		t.urls.forget(p.ElicitationID, done)
		if err != nil {
			return fmt.Errorf("%w: %w", err, required)
		}
	}
	return nil
}

func (t *Tracker) visitOne(c *Call, cs *mcp.ClientSession, p *mcp.ElicitParams, done <-chan struct{}) error {
	res, err := t.elicitURL(c.ctx, cs, p)
	switch {
	case err != nil:
		return err
	case res.Action != "accept":
		return fmt.Errorf("the user did not agree to visit the URL (%s)", res.Action)
	}
	if completed, _ := res.Meta[callbacks.Completed].(bool); completed {
		return nil
	}
	wait := time.NewTimer(t.completionWait)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
	return nil
}
