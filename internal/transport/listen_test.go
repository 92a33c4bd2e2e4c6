package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// listening returns listens to which one listen of the SDK, with the id 3, was
// written, and the ids of those that were sent since.
func listening(t *testing.T) (l *listens, sent chan string) {
	t.Helper()
	sent = make(chan string, 1024)
	l = newListens(func(_ context.Context, req *jsonrpc.Request) error {
		if req.Method != methodListen || string(req.Params) != `{"a":1}` {
			t.Errorf("sent %s %s", req.Method, req.Params)
		}
		sent <- fmt.Sprint(req.ID.Raw())
		return nil
	}, nil)
	if req := l.written(&jsonrpc.Request{ID: idOf(t, 3.0), Method: methodListen, Params: json.RawMessage(`{"a":1}`)}); fmt.Sprint(req.ID.Raw()) != "3" {
		t.Errorf("the first has the id %v", req.ID.Raw())
	}
	return l, sent
}

func idOf(t *testing.T, raw any) jsonrpc.ID {
	t.Helper()
	id, err := jsonrpc.MakeID(raw)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func cancelOf(id string) *jsonrpc.Request {
	return &jsonrpc.Request{Method: "notifications/cancelled", Params: json.RawMessage(`{"reason":"r","requestId":` + id + `}`)}
}

func TestListenIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sent := listening(t)
		defer l.close()
		for i, last := range []any{3.0, "3/2", "3/3"} {
			if l.ended(&jsonrpc.Response{ID: idOf(t, last), Result: json.RawMessage(`{}`)}) {
				t.Errorf("the SDK is told of the end of %v", last)
			}
			time.Sleep(time.Minute)
			if want := fmt.Sprintf("3/%d", i+2); len(sent) != 1 || <-sent != want {
				t.Fatalf("%d more were sent, want %s", len(sent), want)
			}
		}
		if other := cancelOf("4"); l.written(other) != other {
			t.Error("another request was not cancelled as it was")
		}
		if own := l.written(cancelOf("3")); string(own.Params) != `{"reason":"r","requestId":"3/4"}` {
			t.Errorf("cancelled by %s", own.Params)
		}
		if !l.ended(&jsonrpc.Response{ID: idOf(t, "3/4")}) {
			t.Error("what was cancelled is awaited still")
		}
		time.Sleep(time.Hour)
		if len(sent) != 0 {
			t.Errorf("after it was cancelled, %s was sent", <-sent)
		}
	})
}

func TestListenThatEndsAtOnceIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sent := listening(t)
		defer l.close()
		last, n := any(3.0), 0
		for began := time.Now(); time.Since(began) < 10*time.Minute; n++ {
			l.ended(&jsonrpc.Response{ID: idOf(t, last)})
			last = <-sent
		}
		if n < 15 || n > 60 {
			t.Errorf("asked %d times in 10 minutes", n)
		}
	})
}

func TestListenThatIsNotAskedAgain(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *listens, <-chan string){
		"cancelled while it waits": func(t *testing.T, l *listens, sent <-chan string) {
			l.ended(&jsonrpc.Response{ID: idOf(t, 3.0)})
			if req := l.written(cancelOf("3")); req != nil {
				t.Errorf("the server is told %s of what it has ended", req.Params)
			}
		},
		"refused": func(t *testing.T, l *listens, sent <-chan string) {
			l.ended(&jsonrpc.Response{ID: idOf(t, 3.0)})
			time.Sleep(time.Minute)
			<-sent
			resp := &jsonrpc.Response{ID: idOf(t, "3/2"), Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}}
			if !l.ended(resp) || fmt.Sprint(resp.ID.Raw()) != "3" {
				t.Errorf("the SDK is told of %v", resp.ID.Raw())
			}
		},
		"closed": func(t *testing.T, l *listens, sent <-chan string) {
			l.ended(&jsonrpc.Response{ID: idOf(t, 3.0)})
			l.close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, sent := listening(t)
				defer l.close()
				end(t, l, sent)
				time.Sleep(time.Hour)
				if len(sent) != 0 {
					t.Errorf("%s was sent", <-sent)
				}
			})
		})
	}
}
