package httpwire_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// FuzzStream checks that the SDK is given just the messages that a stream
// holds by the specification, and nothing that it chokes on.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: " + note + "\n\ndata: " + answer + "\r\n\r\ndata: " + ask + "\r\r",
		"\uFEFFid: 1\nretry: 5\ndata\n\n: c\nevent: message\ndata:" + note + "\n\n",
		"event: ping\ndata: " + note + "\n\nnonsense\ndata: {\ndata: \"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n",
		"data: [" + note + "," + answer + ",5,[]]\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}\n\n",
		`data: {"jsonrpc":"2.0","method":null,"id":1.5}` + "\n\n" + `data: {"JSONRPC":"2.0","jsonrpc":"2.0","Method":"x","id":1} 5` + "\n\n",
	} {
		f.Add([]byte(seed), byte(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, inbound byte) {
		var told []string
		opts := httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			// What is cut short is another matter.
			whole := io.MultiReader(iotest.HalfReader(bytes.NewReader(data)), strings.NewReader("\n\n\n"))
			return reply(req, http.StatusOK, "text/event-stream", whole), nil
		})}
		if inbound%2 == 1 {
			opts.Hooks.Inbound = func(_ context.Context, req *jsonrpc.Request) bool {
				told = append(told, req.Method)
				return true
			}
		}
		wire := httpwire.New(opts)
		defer wire.Close()
		_, text := do(t, wire, newGet(t.Context(), "1"))

		var want, requests []string
		for _, ev := range specEvents(append(slices.Clone(data), "\n\n\n"...)) {
			if ev.Name != "" && ev.Name != "message" {
				continue
			}
			elements := [][]byte{[]byte(ev.Data)}
			if strings.HasPrefix(strings.TrimLeft(ev.Data, " \t\r\n"), "[") {
				elements = batchElements(ev.Data)
			}
			for _, element := range elements {
				msg, err := jsonrpc.DecodeMessage(element)
				if err != nil {
					continue
				}
				want = append(want, canonical(t, msg))
				if req, ok := msg.(*jsonrpc.Request); ok {
					requests = append(requests, req.Method)
				}
			}
		}
		var got []string
		for _, m := range messages(t, text) {
			msg, _ := jsonrpc.DecodeMessage([]byte(m))
			got = append(got, canonical(t, msg))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if inbound%2 == 1 {
			if diff := cmp.Diff(requests, told); diff != "" {
				t.Errorf("Inbound (-want +got):\n%s", diff)
			}
		}
	})
}

// FuzzCallStream checks that a call gets exactly one response, and last,
// whatever the server sends.
func FuzzCallStream(f *testing.F) {
	f.Add([]byte("data: "+note+"\n\ndata: "+answer+"\n\ndata: "+note+"\n\n"), false)
	f.Add([]byte("data: [{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}]\n"), false)
	f.Add([]byte("data: {\"id\":7}\n\n"), false)
	f.Add([]byte(answer), true)
	f.Add([]byte("["+note+","+answer+"]"), true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":"7","result":1}`), true)
	f.Fuzz(func(t *testing.T, data []byte, json bool) {
		// An id would make it resume, which takes its time.
		data = bytes.ReplaceAll(data, []byte("id:"), []byte("di:"))
		contentType := "text/event-stream"
		if json {
			contentType = "application/json"
		}
		wire := httpwire.New(httpwire.Options{MaxMessage: 1 << 16, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			return reply(req, http.StatusOK, contentType, bytes.NewReader(data)), nil
		})})
		defer wire.Close()
		resp, text := do(t, wire, newPost(t.Context(), callMessage))
		got := []string{text}
		if resp.Header.Get("Content-Type") == "text/event-stream" {
			got = messages(t, text)
		}
		for i, m := range got {
			msg, err := jsonrpc.DecodeMessage([]byte(m))
			if err != nil {
				t.Fatalf("the SDK would end the session at %q: %v", m, err)
			}
			r, ok := msg.(*jsonrpc.Response)
			if last := i == len(got)-1; (ok && r.ID.Raw() == int64(7)) != last {
				t.Errorf("message %d of %d is %s", i+1, len(got), m)
			}
		}
		if len(got) == 0 {
			t.Error("the call got no response")
		}
	})
}

// FuzzErrorAnswer checks that no error of a server ends the session but by
// losing it, and that what is told of it is harmless.
func FuzzErrorAnswer(f *testing.F) {
	f.Add(400, "application/json", []byte(rpcError), true)
	f.Add(404, "application/json", []byte(`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"x"}}`), true)
	f.Add(200, "text/html", []byte("<html>\x00\xff\u202e"), false)
	f.Fuzz(func(t *testing.T, code int, contentType string, body []byte, session bool) {
		if code < 200 || code > 599 || code/100 == 2 && strings.Contains(contentType, "event-stream") {
			return
		}
		rec := new(recorder)
		wire := httpwire.New(httpwire.Options{Hooks: rec.hooks(), Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			return reply(req, code, contentType, bytes.NewReader(body)), nil
		})})
		defer wire.Close()
		req := newPost(t.Context(), callMessage)
		if session {
			inSession(req)
		}
		resp, text := do(t, wire, req)
		a := rec.answers[0]
		if len(a.Excerpt) > 200 || strings.ContainsFunc(a.Excerpt, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\u202e' }) {
			t.Errorf("Excerpt = %q", a.Excerpt)
		}
		if a.SessionLost {
			if !session || text != "" || resp.StatusCode != http.StatusNotFound {
				t.Errorf("a lost session is answered %d %q", resp.StatusCode, text)
			}
			return
		}
		if resp.Header.Get("Content-Type") == "text/event-stream" {
			messages(t, text)
			return
		}
		msg, err := jsonrpc.DecodeMessage([]byte(text))
		if r, ok := msg.(*jsonrpc.Response); err != nil || !ok || code/100 != 2 && r.Error == nil {
			t.Errorf("the SDK would end the session at %d %q: %v", resp.StatusCode, text, err)
		}
	})
}

// batchElements cuts an array at its commas, if the SDK would decode it as a
// value, and like the SDK takes no notice of what follows it.
func batchElements(data string) [][]byte {
	data = strings.TrimLeft(data, " \t\r\n")
	var elements [][]byte
	depth, start, inString, escaped := 0, 1, false, false
	for i := range len(data) {
		switch c := data[i]; {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '[', c == '{':
			depth++
		case c == ']', c == '}':
			if depth--; depth > 0 {
				continue
			}
			msg := `{"jsonrpc":"2.0","id":1,"result":` + data[:i+1] + `}`
			if _, err := jsonrpc.DecodeMessage([]byte(msg)); err != nil {
				return nil
			}
			return append(elements, []byte(data[start:i]))
		case c == ',' && depth == 1:
			elements = append(elements, []byte(data[start:i]))
			start = i + 1
		}
	}
	return nil
}

func canonical(t *testing.T, msg jsonrpc.Message) string {
	t.Helper()
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
