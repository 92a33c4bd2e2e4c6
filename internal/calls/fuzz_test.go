package calls

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A pipe is the client's end of a connection whose server is the test.
type pipe struct {
	tracker *Tracker
	toRead  chan jsonrpc.Message
	written chan jsonrpc.Message
	once    sync.Once
	closed  chan struct{}
}

func newPipe(tracker *Tracker) *pipe {
	return &pipe{tracker: tracker, toRead: make(chan jsonrpc.Message), written: make(chan jsonrpc.Message, 64), closed: make(chan struct{})}
}

func (p *pipe) Connect(context.Context) (mcp.Connection, error) { return p, nil }

func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case msg := <-p.toRead:
			switch msg := msg.(type) {
			case *jsonrpc.Request:
				if !p.tracker.Inbound(context.Background(), msg) {
					continue
				}
			case *jsonrpc.Response:
				mend := func(_ string, result []byte) ([]byte, bool) { return Result(result) }
				if msg.Error == nil && p.tracker.Answered(msg.ID).Take(msg.Result, mend) {
					msg.Result, msg.Error = nil, ErrTaken
				}
			}
			return msg, nil
		case <-p.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *pipe) Write(ctx context.Context, msg jsonrpc.Message) error {
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		p.tracker.Written(ctx, msg)
	case *jsonrpc.Response:
		p.tracker.Replied(context.Background(), msg.ID)
	}
	select {
	case p.written <- msg:
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipe) SessionID() string { return "" }

// FuzzInbound sends a message of a server through the tracker and the SDK,
// while a call is in flight, and then the answer of the call, which may be
// anything too. Whatever they hold, the session goes on and forgets them.
func FuzzInbound(f *testing.F) {
	methods := []string{
		methodElicit, methodCreateMessage, methodListRoots, methodProgress, methodLog, methodElicitComplete,
		methodToolsChanged, methodPromptsChanged, methodResourcesChanged, methodResourceUpdated, methodCancelled,
		methodAcknowledged, "ping", "completion/complete", "notifications/unheard_of", "",
	}
	const complete = `{"content":[]}`
	for i, params := range []string{
		question, message, `{}`, `{"progressToken":"x","progress":1}`, `{"level":"info","data":{"a":[1]}}`, `{"elicitationId":"i"}`,
		``, `null`, `[]`, `{"uri":"u:x"}`, `{"requestId":1}`, `{"_meta":{"` + tagKey + `":"x"}}`, `{"_meta":[]}`,
	} {
		f.Add(uint8(i), i%2 == 0, params, complete)
		f.Add(uint8(0), true, params, complete)
		f.Add(uint8(1), true, params, complete)
	}
	for _, params := range []string{
		`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[null]}}}}`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}},"required":["a"]}}`,
		`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"integer","default":5}},"$ref":"#"}}`,
		`{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"i"}`,
		`{"messages":[null],"maxTokens":1}`,
		`{"messages":[{"role":"user","content":[{"type":"tool_use","id":"1","name":"t","input":null},null]}],"maxTokens":1,"tools":[null]}`,
		`{"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[null]}}],"maxTokens":1,"modelPreferences":{"hints":[null]}}`,
	} {
		f.Add(uint8(0), true, params, complete)
		f.Add(uint8(1), true, params, complete)
	}
	for _, result := range []string{
		`{"resultType":"input_required","inputRequests":` + threeInputs + `,"requestState":"s"}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":` + question + `}}}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"_meta":{"` + schemaKey + `":"{}"}}}}}`,
		`{"resultType":"input_required","inputRequests":{"a":null}}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`,
		`{"resultType":"input_required","inputRequests":[]}`,
		`{"resultType":"input_required"}`,
		`{"content":[null],"isError":true}`,
		`{"content":[{"type":"resource","resource":null}]}`,
		`null`, `[]`, `7`, `{"resultType":5}`,
	} {
		f.Add(uint8(15), false, ``, result)
	}
	f.Fuzz(func(t *testing.T, which uint8, call bool, params, result string) {
		if !json.Valid([]byte(result)) || len(params) > 0 && !json.Valid([]byte(params)) {
			return // the transport does not let it through
		}
		cb := all(new(recorder))
		cb.URLElicitation = true
		cb.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
		cb.OnLoggingMessage = func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {}
		cb.OnMessage = func(context.Context, callbacks.CallbackContext, callbacks.Message) {}
		cb.OnResourceUpdated = func(context.Context, callbacks.CallbackContext, *mcp.ResourceUpdatedNotificationParams) {}
		tracker := newTracker(t, cb)
		p := newPipe(tracker)
		client := mcp.NewClient(&mcp.Implementation{Name: "fuzz"}, tracker.ClientOptions())
		client.AddSendingMiddleware(tracker.Sending())
		client.AddReceivingMiddleware(tracker.Receiving())

		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		done := make(chan struct{})
		ours := make(chan jsonrpc.ID, 64)
		go func() {
			defer close(done)
			serveFuzz(ctx, p, result, ours)
		}()
		session, err := client.Connect(ctx, p, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			callCtx, cancel := context.WithTimeout(ctx, 50*time.Millisecond) // it may be put off
			defer cancel()
			_, err := session.CallTool(callCtx, &mcp.CallToolParams{Name: "a"})
			ended <- err
		}()
		req := &jsonrpc.Request{Method: methods[int(which)%len(methods)]}
		if len(params) > 0 {
			req.Params = json.RawMessage(params)
		}
		if call {
			req.ID = nextID()
		}
		select {
		case p.toRead <- req:
		case <-ctx.Done():
			t.Fatal("the session does not read any more")
		}
		if call && req.Method != "" {
			select {
			case <-ours: // every request is answered
			case <-ctx.Done():
				t.Fatalf("%s with %s is not answered", req.Method, params)
			}
		}
		// What came before has been handled when a later request is answered.
		select {
		case p.toRead <- &jsonrpc.Request{ID: nextID(), Method: "ping"}:
			<-ours
		case <-ctx.Done():
			t.Fatal("the session does not read any more")
		}
		<-ended
		if err := session.Ping(ctx, nil); err != nil {
			t.Fatalf("the session is of no more use: %v", err)
		}
		if n := pendingRequests(tracker); n != 0 {
			t.Errorf("%d requests are remembered", n)
		}
		if n := tracker.InFlight(); n != 0 {
			t.Errorf("%d calls are in flight", n)
		}
		p.Close()
		<-done
	})
}

// serveFuzz is a server that answers a call with the result.
func serveFuzz(ctx context.Context, p *pipe, result string, answered chan<- jsonrpc.ID) {
	for {
		var msg jsonrpc.Message
		select {
		case msg = <-p.written:
		case <-p.closed:
			return
		case <-ctx.Done():
			return
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			answered <- msg.ID
		case *jsonrpc.Request:
			if !msg.IsCall() {
				continue
			}
			answer := &jsonrpc.Response{ID: msg.ID, Result: json.RawMessage(`{}`)}
			switch msg.Method {
			case "initialize":
				answer.Result = json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
			case "tools/call":
				answer.Result = json.RawMessage(result)
			}
			go func() {
				select {
				case p.toRead <- answer:
				case <-p.closed:
				case <-ctx.Done():
				}
			}()
		}
	}
}
