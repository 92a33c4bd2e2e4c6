package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

const (
	methodListen = "subscriptions/listen"

	// The delays before subscriptions/listen is asked again, and how long an
	// answer must have lasted for its end not to make the next delay longer.
	listenDelay, maxListenDelay = 500 * time.Millisecond, 30 * time.Second
	listenSettled               = 10 * time.Second
)

// listens ask for the changes that a server announces (subscriptions/listen,
// 2026-07-28) again when it ends one of them, which the SDK does not notice. An
// id is used once in a session (JSON-RPC requests of 2026-07-28, Basic Protocol),
// so that the server is told others than the SDK knows.
type listens struct {
	// send writes a request to the server, and asked is told that it was.
	send  func(context.Context, *jsonrpc.Request) error
	asked func()
	ctx   context.Context // of what is sent
	stop  context.CancelFunc

	mu    sync.Mutex
	known map[jsonrpc.ID]*listen // by the id of the SDK
	open  map[jsonrpc.ID]*listen // by the id of the server, but those that wait
}

// A listen is one such request of the SDK.
type listen struct {
	request jsonrpc.Request // as the SDK made it
	id      jsonrpc.ID      // that the server was told last
	times   int             // it was asked
	since   time.Time
	delays  *backoff.ExponentialBackOff
	timer   *time.Timer // not nil while it waits to be asked again
}

func newListens(send func(context.Context, *jsonrpc.Request) error, asked func()) *listens {
	l := &listens{send: send, asked: asked, known: map[jsonrpc.ID]*listen{}, open: map[jsonrpc.ID]*listen{}}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// written takes a message that the SDK writes, and returns what the server is to
// be told, or nil.
func (l *listens) written(req *jsonrpc.Request) *jsonrpc.Request {
	switch {
	case req.Method == methodListen && req.IsCall():
		delays := backoff.NewExponentialBackOff()
		delays.InitialInterval, delays.MaxInterval, delays.Multiplier = listenDelay, maxListenDelay, 2
		l.mu.Lock()
		defer l.mu.Unlock()
		one := &listen{request: *req, id: req.ID, times: 1, since: time.Now(), delays: delays}
		l.known[req.ID], l.open[req.ID] = one, one
	case calls.IsCancel(req):
		return l.cancelled(req)
	}
	return req
}

// cancelled takes the end of a request.
func (l *listens) cancelled(req *jsonrpc.Request) *jsonrpc.Request {
	var params mcp.CancelledParams
	if json.Unmarshal(req.Params, &params) != nil {
		return req
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return req
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.known[id]
	if !ok {
		return req
	}
	delete(l.known, id)
	if one.timer != nil {
		one.timer.Stop()
		return nil // of what has ended already
	}
	delete(l.open, one.id)
	params.RequestID = one.id.Raw()
	own := *req
	if own.Params, err = json.Marshal(&params); err != nil {
		return req
	}
	return &own
}

// ended takes a response of the server, and reports whether it goes on to the
// SDK. One that refuses does, and is final.
func (l *listens) ended(resp *jsonrpc.Response) (forward bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.open[resp.ID]
	if !ok {
		return true
	}
	delete(l.open, resp.ID)
	if resp.Error != nil {
		delete(l.known, one.request.ID)
		resp.ID = one.request.ID
		return true
	}
	if time.Since(one.since) >= listenSettled {
		one.delays.Reset()
	}
	one.timer = time.AfterFunc(one.delays.NextBackOff(), func() { l.again(one) })
	return false
}

// again asks once more.
func (l *listens) again(one *listen) {
	l.mu.Lock()
	if l.known[one.request.ID] != one || l.ctx.Err() != nil {
		l.mu.Unlock()
		return
	}
	one.times++
	one.id, _ = jsonrpc.MakeID(fmt.Sprintf("%v/%d", one.request.ID.Raw(), one.times)) // a string is one
	one.timer, one.since = nil, time.Now()
	l.open[one.id] = one
	req := one.request
	req.ID = one.id
	l.mu.Unlock()
	if l.send(l.ctx, &req) == nil && l.asked != nil {
		l.asked()
	}
}

// close ends the waiting.
func (l *listens) close() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.known {
		if one.timer != nil {
			one.timer.Stop()
		}
	}
}
