package httpwire_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// A resetter speaks as much of HTTP/2 as it takes to answer a notification, and to
// end calls as it likes, or other requests with the words, and what has no body.
type resetter struct {
	words string
	calls atomic.Int32
	// end ends the n-th call.
	end func(w io.Writer, stream uint32, n int32)
}

const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway = 0, 1, 3, 4, 6, 7
	flagEnd, flagAck, flagEndHeaders                                           = 1, 1, 4

	protocolError, internalError, refusedStream = 1, 2, 7
)

func writeFrame(w io.Writer, kind, flags byte, stream uint32, payload []byte) {
	head := []byte{0, 0, byte(len(payload)), kind, flags}
	_, _ = w.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...))
}

// reset ends the stream of a call.
func reset(code uint32) func(io.Writer, uint32, int32) {
	return func(w io.Writer, stream uint32, _ int32) {
		writeFrame(w, frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
	}
}

// goAway says that the connection ends, and that no stream of it was looked at.
func goAway(w io.Writer, _ uint32, _ int32) {
	writeFrame(w, frameGoAway, 0, 0, make([]byte, 8))
}

func accept(w io.Writer, stream uint32) {
	writeFrame(w, frameHeaders, flagEnd|flagEndHeaders, stream, append([]byte{0x08, 3}, "202"...)) // HPACK: ":status" and a literal
}

func (r *resetter) serve(c net.Conn) {
	defer c.Close()
	var preface [24]byte
	if _, err := io.ReadFull(c, preface[:]); err != nil {
		return
	}
	writeFrame(c, frameSettings, 0, 0, nil)
	bodies := map[uint32][]byte{}
	for {
		var head [9]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
		if _, err := io.ReadFull(c, payload); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch {
		case kind == frameSettings && flags&flagAck == 0:
			writeFrame(c, frameSettings, flagAck, 0, nil)
		case kind == framePing && flags&flagAck == 0:
			writeFrame(c, framePing, flagAck, 0, payload)
		case kind == frameHeaders && flags&flagEnd != 0 && r.words == "":
			r.end(c, stream, r.calls.Add(1))
		case kind == frameData:
			bodies[stream] = append(bodies[stream], payload...)
			if flags&flagEnd == 0 {
				break
			}
			if bytes.Contains(bodies[stream], []byte(cmp.Or(r.words, "tools/call"))) {
				r.end(c, stream, r.calls.Add(1))
			} else {
				accept(c, stream)
			}
		}
	}
}

// listen serves HTTP/2 until the test ends.
func (r *resetter) listen(t *testing.T) (url string) {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return "https://" + l.Addr().String()
}

// Go's HTTP/2 makes a request that was reset again and again. A call is made again
// only if the server has promised not to have looked at it.
func TestStreamsThatAreReset(t *testing.T) {
	for name, test := range map[string]struct {
		end    func(io.Writer, uint32, int32)
		calls  int32 // that the server sees
		sent   bool  // and may have executed the last
		failed string
	}{
		"protocol error": {reset(protocolError), 1, true, "PROTOCOL_ERROR; received from peer"},
		"internal error": {reset(internalError), 1, true, "INTERNAL_ERROR; received from peer"},
		"refused": {func(w io.Writer, stream uint32, n int32) {
			if n < 3 {
				reset(refusedStream)(w, stream, n)
			} else {
				accept(w, stream)
			}
		}, 3, true, ""},
		"refused, then a protocol error": {func(w io.Writer, stream uint32, n int32) {
			if n < 2 {
				reset(refusedStream)(w, stream, n)
			} else {
				reset(protocolError)(w, stream, n)
			}
		}, 2, true, "PROTOCOL_ERROR; received from peer"},
		"always refused":    {reset(refusedStream), 6, false, "REFUSED_STREAM; received from peer"},
		"always going away": {goAway, 6, false, "graceful shutdown GOAWAY"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			server := &resetter{end: test.end}
			url := server.listen(t)
			var last httpwire.Answer
			rt := httpwire.New(httpwire.Options{Hooks: httpwire.Hooks{
				Responded: func(_ context.Context, a httpwire.Answer) { last = a },
			}})
			rt.Trust()
			t.Cleanup(rt.Close)
			client := rt.Client(nil)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			post := func(message string) (*http.Response, error) {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
				if err != nil {
					t.Fatal(err)
				}
				return client.Do(req)
			}
			for range 2 { // the first is not known to go by HTTP/2
				resp, err := post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				if err != nil || resp.StatusCode != http.StatusAccepted {
					t.Fatal(resp, err)
				}
				resp.Body.Close()
			}
			resp, err := post(callMessage)
			if err == nil {
				resp.Body.Close()
			}
			if n := server.calls.Load(); n != test.calls {
				t.Errorf("the server has seen it %d times, want %d", n, test.calls)
			}
			if last.Sent != test.sent || (err == nil) != (test.failed == "") {
				t.Errorf("sent is %v, and the error: %v", last.Sent, err)
			}
			if err != nil && !strings.HasSuffix(errors.Unwrap(err).Error(), test.failed) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// So it is with the first request, before which the version of HTTP is not known: the
// handshake may be made once more without a promise, which does no harm, but not for
// ever.
func TestFirstStreamThatIsReset(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(io.Writer, uint32, int32)
		calls int32 // that the server sees
		fails bool
	}{
		"protocol error": {reset(protocolError), 2, true},
		"internal error": {reset(internalError), 1, true},
		"refused twice": {func(w io.Writer, stream uint32, n int32) {
			if n < 3 {
				reset(refusedStream)(w, stream, n)
			} else {
				accept(w, stream)
			}
		}, 3, false},
		"always refused":    {reset(refusedStream), 7, true},
		"always going away": {goAway, 7, true},
	} {
		for _, method := range []string{"server/discover", "initialize", "tools/call"} {
			t.Run(name+" "+method, func(t *testing.T) {
				leak.Check(t)
				server := &resetter{words: method, end: test.end}
				url := server.listen(t)
				rt := httpwire.New(httpwire.Options{})
				rt.Trust()
				t.Cleanup(rt.Close)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := rt.Client(nil).Do(req)
				if err == nil {
					resp.Body.Close()
				}
				calls, fails := test.calls, test.fails
				if method == "tools/call" { // which the handshake precedes
					calls, fails = 1, true
				}
				if n := server.calls.Load(); n != calls {
					t.Errorf("the server has seen it %d times, want %d", n, calls)
				}
				if (err != nil) != fails || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// A request without a body is one that Go may repeat, but not for ever, and not
// without any delay: the stream of the session would be asked for as long as that is.
func TestStreamsWithoutBodyThatAreReset(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(io.Writer, uint32, int32)
		calls int32 // that the server sees
		fails bool
	}{
		"protocol error": {reset(protocolError), 6, true},
		"going away":     {goAway, 6, true},
		"going away twice": {func(w io.Writer, stream uint32, n int32) {
			if n < 3 {
				goAway(w, stream, n)
			} else {
				accept(w, stream)
			}
		}, 3, false},
	} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			t.Run(name+" "+method, func(t *testing.T) {
				leak.Check(t)
				server := &resetter{end: test.end}
				url := server.listen(t)
				rt := httpwire.New(httpwire.Options{})
				rt.Trust()
				t.Cleanup(rt.Close)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, method, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := rt.Client(nil).Do(req)
				if err == nil {
					resp.Body.Close()
				}
				if n := server.calls.Load(); n != test.calls {
					t.Errorf("the server has seen it %d times, want %d", n, test.calls)
				}
				if (err != nil) != test.fails || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}
