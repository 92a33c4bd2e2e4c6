package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// newTracker returns a tracker that the test closes.
func newTracker(t testing.TB, cb callbacks.Callbacks) *Tracker {
	tracker := New(Options{Server: "s", Callbacks: cb, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { tracker.Close(context.Canceled) })
	return tracker
}

// An end is what a call returned.
type end struct {
	res mcp.Result
	err error
}

// A sending is a request that reached the wire.
type sending struct {
	ctx    context.Context
	params mcp.Params
}

// A running call, whose server is the test.
type running struct {
	tracker *Tracker
	sending              // the first
	sent    chan sending // the further ones
	answer  chan end     // what the server returns
	ended   chan end     // what the caller got
}

// start makes a call through the sending middleware, as the SDK does.
func start(t testing.TB, ctx context.Context, tracker *Tracker, tool string) *running {
	t.Helper()
	return startCall(t, ctx, tracker, "tools/call", &mcp.CallToolParams{Name: tool})
}

func startCall(t testing.TB, ctx context.Context, tracker *Tracker, method string, params mcp.Params) *running {
	t.Helper()
	r := &running{tracker: tracker, sent: make(chan sending), answer: make(chan end), ended: make(chan end, 1)}
	handler := tracker.Sending()(func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
		select {
		case r.sent <- sending{ctx, req.GetParams()}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case e := <-r.answer:
			return e.res, e.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	go func() {
		res, err := handler(ctx, method, &mcp.ClientRequest[mcp.Params]{Session: &mcp.ClientSession{}, Params: params})
		r.ended <- end{res, err}
	}()
	r.sending = get(t, r.sent, "request on the wire")
	return r
}

func (r *running) id() string { return FromContext(r.ctx).ID }

// returns makes the server answer the call.
func (r *running) returns(t testing.TB, text string) {
	t.Helper()
	put(t, r.answer, end{&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil})
}

// progress makes the server send a notification.
func (r *running) progress(message string) {
	r.tracker.Inbound(context.Background(), notification(methodProgress,
		fmt.Sprintf(`{"progressToken":%q,"progress":1,"message":%q}`, r.id(), message)))
}

func notification(method, params string) *jsonrpc.Request {
	return &jsonrpc.Request{Method: method, Params: json.RawMessage(params)}
}

func logMessage(message string) *jsonrpc.Request {
	return notification(methodLog, fmt.Sprintf(`{"level":"info","data":%q}`, message))
}

var requestIDs struct {
	sync.Mutex
	next int64
}

func nextID() jsonrpc.ID {
	requestIDs.Lock()
	defer requestIDs.Unlock()
	requestIDs.next++
	return requestID(requestIDs.next)
}

func requestID(n int64) jsonrpc.ID {
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		panic(err)
	}
	return id
}

// An asked request of the server, and how the client answered.
type asked struct {
	req    *jsonrpc.Request
	answer chan end
}

// ask makes the server send a request, which the tracker and the SDK handle as
// they do. ctx is that of the stream.
func ask(tracker *Tracker, ctx context.Context, method, params string) *asked {
	a := read(tracker, ctx, method, params)
	go a.handle(tracker, context.Background())
	return a
}

// read only lets the tracker see the request.
func read(tracker *Tracker, ctx context.Context, method, params string) *asked {
	a := &asked{req: &jsonrpc.Request{ID: nextID(), Method: method}, answer: make(chan end, 1)}
	if params != "" {
		a.req.Params = json.RawMessage(params)
	}
	if !tracker.Inbound(ctx, a.req) {
		panic("the request did not go on to the SDK")
	}
	return a
}

// handle does what the SDK does with a request.
func (a *asked) handle(tracker *Tracker, ctx context.Context) {
	req, err := decode(a.req)
	var res mcp.Result
	if err == nil {
		res, err = tracker.Receiving()(func(context.Context, string, mcp.Request) (mcp.Result, error) {
			return nil, fmt.Errorf("%s was left to the SDK", a.req.Method)
		})(ctx, a.req.Method, req)
	}
	tracker.Replied(context.Background(), a.req.ID)
	a.answer <- end{res, err}
}

func decode(req *jsonrpc.Request) (mcp.Request, error) {
	session := &mcp.ClientSession{}
	switch req.Method {
	case methodElicit:
		params, err := decodeParams[mcp.ElicitParams](req)
		return &mcp.ElicitRequest{Session: session, Params: params}, err
	case methodCreateMessage:
		params, err := decodeParams[mcp.CreateMessageWithToolsParams](req)
		return &mcp.CreateMessageWithToolsRequest{Session: session, Params: params}, err
	case methodListRoots:
		params, err := decodeParams[mcp.ListRootsParams](req)
		return &mcp.ListRootsRequest{Session: session, Params: params}, err
	}
	return nil, fmt.Errorf("unknown method %s", req.Method)
}

func decodeParams[P any](req *jsonrpc.Request) (*P, error) {
	if len(req.Params) == 0 {
		return nil, nil
	}
	var p *P
	if err := json.Unmarshal(req.Params, &p); err != nil {
		// As the SDK says it, which tells the server what it had sent.
		return nil, fmt.Errorf("invalid params: unmarshaling %q: %w", req.Params, err)
	}
	return p, nil
}

func get[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("no %s within 30 s", what)
		panic("unreachable")
	}
}

func put[T any](t testing.TB, c chan<- T, v T) {
	t.Helper()
	select {
	case c <- v:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody waits for the answer")
	}
}

// pendingRequests returns how many requests of the server are remembered.
func pendingRequests(t *Tracker) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.requests)
}
