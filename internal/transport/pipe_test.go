package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPipeIsLikeTheSDKs sends messages through a pipe and through the in-memory
// transports of the SDK.
func TestPipeIsLikeTheSDKs(t *testing.T) {
	t.Parallel()
	one, err := jsonrpc.MakeID(float64(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, msg := range map[string]jsonrpc.Message{
		"call":         &jsonrpc.Request{ID: one, Method: "m", Params: []byte(`{"a":1}`), Extra: "for this side"},
		"no params":    &jsonrpc.Request{ID: one, Method: "m"},
		"notification": &jsonrpc.Request{Method: "m", Params: []byte(`{}`)},
		"result":       &jsonrpc.Response{ID: one, Result: []byte(`{"a":1}`)},
		"error":        &jsonrpc.Response{ID: one, Error: &jsonrpc.Error{Code: 5, Message: "no", Data: []byte(`[1]`)}},
		"other error":  &jsonrpc.Response{ID: one, Error: errors.New("no")},
		"wrapped":      &jsonrpc.Response{ID: one, Error: fmt.Errorf("oh: %w", &jsonrpc.Error{Code: 5, Message: "no"})},
	} {
		through := func(from, to mcp.Transport) string {
			w, err := from.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			r, err := to.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			written := make(chan error, 1)
			go func() { written <- w.Write(t.Context(), msg) }()
			got, err := r.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			if got == msg {
				t.Errorf("%s: it is shared", name)
			}
			if resp, ok := got.(*jsonrpc.Response); ok {
				if e, ok := resp.Error.(*jsonrpc.Error); ok {
					return fmt.Sprintf("%v %d %s %s", resp.ID, e.Code, e.Message, e.Data)
				}
				return fmt.Sprintf("%v %s %v", resp.ID, resp.Result, resp.Error)
			}
			req := got.(*jsonrpc.Request)
			return fmt.Sprintf("%v %s %s %v", req.ID, req.Method, req.Params, req.Extra)
		}
		a, b := newPipe()
		if diff := cmp.Diff(through(mcp.NewInMemoryTransports()), through(a, b)); diff != "" {
			t.Errorf("%s (-sdk +ours):\n%s", name, diff)
		}
	}
}

func TestPipeEnds(t *testing.T) {
	t.Parallel()
	msg := &jsonrpc.Request{Method: "m"}
	a, b := newPipe()
	if err := a.Write(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
	a.Close()
	a.Close()
	if got, err := b.Read(t.Context()); err != nil || got == nil {
		t.Errorf("what was written before the end reads as %v, %v", got, err)
	}
	for name, end := range map[string]*pipeEnd{"closed": a, "the other": b} {
		if _, err := end.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("%s: Read returned %v", name, err)
		}
		for range 2 * ahead {
			if err := end.Write(t.Context(), msg); !errors.Is(err, io.ErrClosedPipe) {
				t.Fatalf("%s: Write returned %v", name, err)
			}
		}
	}
}

func TestPipeWithoutReader(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a, b *pipeEnd, cancel func()) error{
		"cancelled": func(_, _ *pipeEnd, cancel func()) error { cancel(); return context.Canceled },
		"closed":    func(a, _ *pipeEnd, _ func()) error { a.Close(); return io.ErrClosedPipe },
		"abandoned": func(_, b *pipeEnd, _ func()) error { b.Close(); return io.ErrClosedPipe },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a, b := newPipe()
		for range ahead {
			if err := a.Write(ctx, &jsonrpc.Request{Method: "m"}); err != nil {
				t.Fatal(err)
			}
		}
		written := make(chan error, 1)
		go func() { written <- a.Write(ctx, &jsonrpc.Request{Method: "m"}) }()
		want := end(a, b, cancel)
		if err := <-written; !errors.Is(err, want) {
			t.Errorf("%s: Write returned %v, want %v", name, err, want)
		}
	}
}
