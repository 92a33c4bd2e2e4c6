package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is the name of the only question of a round.
const question = "question"

// An exchange is a request of a client that is asked by results (2026-07-28).
// The request to the server goes on while the client answers, which it does by
// another request with the state of the first one's result.
type exchange struct {
	of     string // what was asked for, and by whom
	client string // whose it is, as far as clients are known apart
	origin *origin
	cancel func()

	asked   chan asked
	done    chan struct{} // closed when result and err are set
	gone    chan struct{} // closed when the client does not come back
	goOnce  sync.Once
	result  any
	err     error
	expires *time.Timer
	pending asked // the question that the client is answering
}

// asked is a question and where its answer goes.
type asked struct {
	question mcp.InputRequest
	answer   chan mcp.InputResponse
}

// errOver: the request has its answer already, so that it can ask nothing.
var errOver = errors.New("the request has ended")

// ask asks the client. It returns when the client has answered.
func (e *exchange) ask(ctx context.Context, q mcp.InputRequest) (mcp.InputResponse, error) {
	a := asked{q, make(chan mcp.InputResponse, 1)}
	select {
	case e.asked <- a:
	case <-e.done:
		return nil, errOver
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case answer := <-a.answer:
		return answer, nil
	case <-e.gone:
		return nil, errOver
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// waiting are the exchanges whose clients are answering, by state.
type waiting struct {
	most, mostOfClient int

	mu      sync.Mutex
	parked  map[string]*exchange
	clients map[string]int // how many are parked of each client
	closed  bool
}

// park keeps an exchange until its answer comes and returns the state that
// leads to it: nobody can guess it, and it works once.
func (w *waiting) park(e *exchange, timeout time.Duration) (state string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: ErrClosed.Error()}
	case len(w.parked) >= w.most:
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many calls wait for answers; try again later"}
	case e.client != "" && w.clients[e.client] >= w.mostOfClient:
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many of your calls wait for answers; answer some first"}
	}
	state = rand.Text()
	w.parked[state] = e
	w.clients[e.client]++
	e.expires = time.AfterFunc(timeout, func() {
		w.mu.Lock()
		_, mine := w.parked[state]
		w.forget(state)
		w.mu.Unlock()
		if mine {
			e.cancel()
		}
	})
	return state, nil
}

// forget removes an exchange, if it is still there.
func (w *waiting) forget(state string) {
	e := w.parked[state]
	if e == nil {
		return
	}
	delete(w.parked, state)
	if w.clients[e.client]--; w.clients[e.client] == 0 {
		delete(w.clients, e.client)
	}
}

// take returns the exchange of the state if it is about the same.
func (w *waiting) take(state, of string) (*exchange, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.parked[state]
	if e == nil || e.of != of {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no call waits with this requestState: it may have ended, or have been answered already"}
	}
	w.forget(state)
	e.expires.Stop()
	return e, nil
}

func (w *waiting) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for state, e := range w.parked {
		e.expires.Stop()
		e.cancel()
		w.forget(state)
	}
}

// A round is what a request of the client says about earlier ones.
type round struct {
	server    string
	of        string // method, name and user
	state     string
	responses mcp.InputResponseMap
	meta      mcp.Meta
}

// serve answers a request of a client by run, which gets the context for the
// request to the server. ask makes a result of questions.
func serve[R any](ctx context.Context, p *peer, req downRequest, r round, run func(ctx context.Context) (R, error), ask func(mcp.InputRequestMap, string) R) (R, error) {
	var zero R
	r.of += "\x00" + userOf(req)
	if req.ProtocolVersion() < stateless {
		ctx = context.WithValue(ctx, originKey{}, newOrigin(ctx, req, r.meta))
		res, err := contained(func() (R, error) { return run(ctx) })
		return res, wireError(err)
	}
	var e *exchange
	if r.state != "" {
		var err error
		if e, err = p.g.waiting.take(r.state, r.of); err != nil {
			return zero, err
		}
		e.origin.setWaiter(newWaiter(ctx, req))
		e.pending.answer <- r.responses[question]
	} else {
		e = begin(ctx, p, req, r, func(ctx context.Context) (any, error) {
			return contained(func() (R, error) { return run(ctx) })
		})
	}
	select {
	case <-e.done:
		e.origin.setWaiter(waiter{})
		res, _ := e.result.(R)
		return res, wireError(e.err)
	case e.pending = <-e.asked:
		e.origin.setWaiter(waiter{})
		state, err := p.g.waiting.park(e, p.g.opts.AnswerTimeout)
		if err != nil {
			e.cancel()
			return zero, err
		}
		return ask(mcp.InputRequestMap{question: e.pending.question}, state), nil
	case <-ctx.Done():
		e.origin.setWaiter(waiter{})
		e.cancel()
		return zero, context.Cause(ctx)
	}
}

// begin starts the request to the server, which does not end with the first
// request of the client.
func begin(ctx context.Context, p *peer, req downRequest, r round, run func(context.Context) (any, error)) *exchange {
	e := &exchange{of: r.of, client: p.clientOf(req), origin: newOrigin(ctx, req, r.meta), asked: make(chan asked), done: make(chan struct{}), gone: make(chan struct{})}
	e.origin.exchange, e.origin.server = e, r.server
	p.inFlight.add(e.origin)
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })
	e.cancel = func() {
		cancel(errors.New("the client has gone, or has not answered in time"))
		e.goOnce.Do(func() { close(e.gone) })
	}
	go func() {
		defer stop()
		defer cancel(nil)
		defer close(e.done)
		defer p.inFlight.remove(e.origin)
		e.result, e.err = run(context.WithValue(callCtx, originKey{}, e.origin))
	}()
	return e
}
