package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

const (
	note   = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`
	ask    = `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}`
	answer = `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`
)

// post answers a call with a stream, and returns what the SDK gets.
func post(t *testing.T, opts httpwire.Options, body io.Reader) string {
	t.Helper()
	opts.Base = baseFunc(func(req *http.Request) (*http.Response, error) {
		return reply(req, http.StatusOK, "text/event-stream; charset=utf-8", body), nil
	})
	wire := httpwire.New(opts)
	defer wire.Close()
	resp, text := do(t, wire, newPost(t.Context(), callMessage))
	if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("Content-Type = %q", ct)
	}
	return text
}

func TestStreamFormats(t *testing.T) {
	tests := map[string]struct {
		stream string
		want   []sdkEvent
	}{
		"LF":    {"data: " + note + "\n\ndata: " + answer + "\n\n", []sdkEvent{{Data: note}, {Data: answer}}},
		"CRLF":  {"data: " + note + "\r\n\r\ndata: " + answer + "\r\n\r\n", []sdkEvent{{Data: note}, {Data: answer}}},
		"CR":    {"data: " + note + "\r\rdata: " + answer + "\r\r", []sdkEvent{{Data: note}, {Data: answer}}},
		"mixed": {"data: " + note + "\r\r\ndata: " + answer + "\n\r", []sdkEvent{{Data: note}, {Data: answer}}},
		"CRLF in an event": {
			"id: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\r\ndata: \"result\":1}\r\n\r\n",
			[]sdkEvent{{ID: "1", Data: "{\"jsonrpc\":\"2.0\",\"id\":7,\n\"result\":1}"}},
		},
		"BOM":           {"\uFEFFdata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"no space":      {"data:" + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"comments":      {": ping\n\n:\n\n: ping\ndata: " + answer + "\n: x\n\n", []sdkEvent{{Data: answer}}},
		"no colon":      {"garbage\n\nping\ndata: " + answer + "\nretry\n\n", []sdkEvent{{Data: answer}}},
		"unknown field": {"foo: bar\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"multi-line": {
			"data: {\"jsonrpc\":\"2.0\",\ndata\ndata: \"id\":7,\ndata:\"result\":{}}\n\n",
			[]sdkEvent{{Data: "{\"jsonrpc\":\"2.0\",\n\n\"id\":7,\n\"result\":{}}"}},
		},
		"ids and retry": {
			"id: 1\nretry: 250\ndata: \n\nid: 2\ndata: " + answer + "\n\n",
			[]sdkEvent{{ID: "1", Retry: "250"}, {ID: "2", Data: answer}},
		},
		"priming without data": {"id: 1\n\ndata: " + answer + "\n\n", []sdkEvent{{ID: "1"}, {Data: answer}}},
		"bad retry":            {"retry: 1s\nretry: -5\nid: 4\ndata: " + answer + "\n\n", []sdkEvent{{ID: "4", Data: answer}}},
		"endless retry":        {"retry: 99999999999\ndata: " + answer + "\n\n", []sdkEvent{{Retry: "300000", Data: answer}}},
		"unusable id":          {"id: a\x00b\nid: a\x1bb\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"message by name":      {"event: message\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"other events": {
			"event: ping\nid: 3\ndata: 2026-01-01\n\nevent: ping\n\ndata: " + answer + "\n\n",
			[]sdkEvent{{ID: "3"}, {Data: answer}},
		},
		"no JSON": {
			"data: ping\n\nid: 9\ndata: [DONE]\n\ndata: 5\n\ndata: " + answer + "\n\n",
			[]sdkEvent{{ID: "9"}, {Data: answer}},
		},
		"broken notification": {
			"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\n\ndata: " + answer + "\n\n",
			[]sdkEvent{{Data: answer}},
		},
		"no last blank line":    {"data: " + note + "\n\ndata: " + answer + "\n", []sdkEvent{{Data: note}, {Data: answer}}},
		"no last line end":      {"data: " + answer, []sdkEvent{{Data: answer}}},
		"foreign response":      {`data: {"jsonrpc":"2.0","id":99,"result":{}}` + "\n\ndata: " + answer + "\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":99,"result":{}}`}, {Data: answer}}},
		"id as a string":        {`data: {"jsonrpc":"2.0","id":"7","result":{"a":1}}` + "\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":7,"result":{"a":1}}`}}},
		"error without an id":   {`data: {"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}` + "\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}`}}},
		"a batch":               {"id: 5\ndata: [" + note + "," + answer + "," + ask + "]\n\n", []sdkEvent{{Data: note}, {Data: ask}, {Data: answer}, {ID: "5"}}},
		"an empty batch":        {"data: []\n\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"a broken batch":        {"data: [" + note + ",\n\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"an immense batch":      {"data: [" + strings.Repeat(note+",", 10000) + note + "]\n\ndata: " + answer + "\n\n", []sdkEvent{{Data: answer}}},
		"nothing after answers": {"data: " + answer + "\n\ndata: " + note + "\n\n", []sdkEvent{{Data: answer}}},
		"a long line":           {"data: " + `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("é", 300000) + "\"}\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("é", 300000) + `"}`}}},
		"a deep result":         {"data: " + `{"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "}\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`}}},
		"many but flat lists":   {"data: " + `{"jsonrpc":"2.0","id":7,"result":["\"",` + strings.Repeat("[],", 1500) + "1]}\n\n", []sdkEvent{{Data: `{"jsonrpc":"2.0","id":7,"result":["\"",` + strings.Repeat("[],", 1500) + `1]}`}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for way, body := range map[string]io.Reader{
				"at once":  strings.NewReader(test.stream),
				"bytes":    iotest.OneByteReader(strings.NewReader(test.stream)),
				"halves":   iotest.HalfReader(strings.NewReader(test.stream)),
				"with EOF": iotest.DataErrReader(strings.NewReader(test.stream)),
			} {
				got := sdkEvents(t, post(t, httpwire.Options{}, body))
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("read %s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// What keeps a call from its response is an error of that call.
func TestStreamFailures(t *testing.T) {
	tests := map[string]struct {
		body io.Reader
		code int64
		want string
	}{
		"empty":            {strings.NewReader(""), httpwire.CodeBroken, "ended the stream of a call before its response"},
		"no response":      {strings.NewReader("data: " + note + "\n\n"), httpwire.CodeBroken, "ended the stream of a call before its response"},
		"cut":              {strings.NewReader("data: " + answer[:20]), httpwire.CodeBroken, "ended the stream of a call before its response"},
		"broken":           {io.MultiReader(strings.NewReader("data: "+note+"\n\n"), iotest.ErrReader(errors.New("reset by peer"))), httpwire.CodeBroken, "reset by peer"},
		"stuck":            {stuckReader{}, httpwire.CodeBroken, io.ErrNoProgress.Error()},
		"too large":        {strings.NewReader("data: \"" + strings.Repeat("x", 2000) + "\"\n\n"), httpwire.CodeTransport, "more than 1000 bytes"},
		"too many lines":   {strings.NewReader(strings.Repeat("data: xxxxxxxxx\n", 110) + "\n"), httpwire.CodeTransport, "more than 1000 bytes"},
		"no JSON":          {strings.NewReader(`data: {"jsonrpc":"2.0","id":7,"result":{` + "\n\n"), httpwire.CodeTransport, "not JSON-RPC"},
		"wrong version":    {strings.NewReader(`data: {"jsonrpc":"1.0","id":7,"result":{}}` + "\n\n"), httpwire.CodeTransport, "JSON-RPC version"},
		"wrong error":      {strings.NewReader(`data: {"jsonrpc":"2.0","id":7,"error":"no"}` + "\n\n"), httpwire.CodeTransport, "not JSON-RPC"},
		"wrong id":         {strings.NewReader(`data: {"jsonrpc":"2.0","id":[7],"result":{}}` + "\n\n"), httpwire.CodeTransport, "not JSON-RPC"},
		"no id":            {strings.NewReader(`data: {"jsonrpc":"2.0","result":{}}` + "\n\n"), httpwire.CodeTransport, "neither a method nor an id"},
		"too deep":         {strings.NewReader(`data: {"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 1200)[:900] + "}\n\n"), httpwire.CodeTransport, "not JSON-RPC"},
		"far too deep":     {strings.NewReader(`data: {"id":7,"result":` + strings.Repeat("[", 1200) + "}\n\n"), httpwire.CodeTransport, "more than 1000 bytes"},
		"garbage in batch": {strings.NewReader(`data: [{"id":7}]` + "\n\n"), httpwire.CodeTransport, "JSON-RPC version"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := messages(t, post(t, httpwire.Options{MaxMessage: 1000}, test.body))
			if len(got) == 0 {
				t.Fatal("the call got no response")
			}
			msg, _ := jsonrpc.DecodeMessage([]byte(got[len(got)-1]))
			resp, ok := msg.(*jsonrpc.Response)
			if !ok || resp.ID.Raw() != int64(7) {
				t.Fatalf("the call got %s", got)
			}
			var werr *jsonrpc.Error
			if !errors.As(resp.Error, &werr) || werr.Code != test.code || !strings.Contains(werr.Message, test.want) {
				t.Errorf("error = %+v, want one that says %q", resp.Error, test.want)
			}
		})
	}
}

type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

func TestTooDeepMessageIsDropped(t *testing.T) {
	deep := `{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`
	got := messages(t, post(t, httpwire.Options{}, strings.NewReader("data: "+deep+"\n\ndata: ["+deep+"]\n\ndata: "+answer+"\n\n")))
	if diff := cmp.Diff([]string{answer}, got); diff != "" {
		t.Error(diff)
	}
}

func TestInbound(t *testing.T) {
	type key struct{}
	var told []string
	opts := httpwire.Options{Hooks: httpwire.Hooks{
		Inbound: func(ctx context.Context, req *jsonrpc.Request) bool {
			if ctx.Value(key{}) != "the call" {
				t.Errorf("%s came without the context of the call", req.Method)
			}
			told = append(told, req.Method)
			switch req.Method {
			case "drop":
				return false
			case "change":
				req.Params = []byte(`{"changed":  true}`)
			case "spoil":
				req.Params = []byte(`{`)
			}
			return true
		},
	}}
	opts.Base = baseFunc(func(req *http.Request) (*http.Response, error) {
		return events(req, `id: 1
data: {"jsonrpc":"2.0","method":"keep", "params":{"a" : 1}}

id: 2
data: {"jsonrpc":"2.0","method":"drop"}

id: 3
retry: 5
data: {"jsonrpc":"2.0","id":1,"method":"change","params":{"a":"<&>"}}

data: {"jsonrpc":"2.0","method":"spoil"}

data: {"jsonrpc":"2.0","id":7,"result":{"method":"not one"}}

data: {"jsonrpc":"2.0","method":"late"}

`), nil
	})
	wire := httpwire.New(opts)
	defer wire.Close()
	_, text := do(t, wire, newPost(context.WithValue(t.Context(), key{}, "the call"), callMessage))
	want := []sdkEvent{
		{ID: "1", Data: `{"jsonrpc":"2.0","method":"keep", "params":{"a" : 1}}`},
		{ID: "2"},
		{ID: "3", Retry: "5", Data: `{"jsonrpc":"2.0","id":1,"method":"change","params":{"changed":true}}`},
		{Data: `{"jsonrpc":"2.0","id":7,"result":{"method":"not one"}}`},
	}
	if diff := cmp.Diff(want, sdkEvents(t, text)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"keep", "drop", "change", "spoil"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// What Inbound is given is its own, though events share a buffer.
func TestInboundKeepsRequests(t *testing.T) {
	var kept []*jsonrpc.Request
	opts := httpwire.Options{Hooks: httpwire.Hooks{Inbound: func(_ context.Context, req *jsonrpc.Request) bool {
		kept = append(kept, req)
		return true
	}}}
	stream := ""
	for _, name := range []string{"aaa", "bbb", "ccc"} {
		stream += `data: {"jsonrpc":"2.0","id":"` + name + `","method":"` + name + `","params":["` + name + "\"]}\n\n"
	}
	post(t, opts, strings.NewReader(stream))
	for i, name := range []string{"aaa", "bbb", "ccc"} {
		if req := kept[i]; req.ID.Raw() != name || req.Method != name || string(req.Params) != `["`+name+`"]` {
			t.Errorf("kept %v %s %s, want %s", req.ID.Raw(), req.Method, req.Params, name)
		}
	}
}

// An event is handed on when it is complete, not when the next one comes.
func TestEventsAreNotHeldBack(t *testing.T) {
	for name, end := range map[string]string{"LF": "\n\n", "CR": "\r\r", "CRLF": "\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			r, w := io.Pipe()
			wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
				return reply(req, http.StatusOK, "text/event-stream", r), nil
			})})
			defer wire.Close()
			resp, err := wire.RoundTrip(newPost(t.Context(), callMessage))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			for range 3 {
				go io.WriteString(w, "data: "+note+end)
				buf := make([]byte, 4096)
				n, err := resp.Body.Read(buf)
				if err != nil || string(buf[:n]) != "data: "+note+"\n\n" {
					t.Fatalf("read %q, %v", buf[:n], err)
				}
			}
			w.Close()
		})
	}
}

func TestSmallReads(t *testing.T) {
	wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
		return events(req, "data: "+note+"\n\ndata: "+answer+"\n\n"), nil
	})})
	defer wire.Close()
	resp, err := wire.RoundTrip(newPost(t.Context(), callMessage))
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(resp.Body, []byte("data: "+note+"\n\ndata: "+answer+"\n\n")); err != nil {
		t.Error(err)
	}
	resp.Body.Close()
	if n, err := resp.Body.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("reading a closed body: %d, %v", n, err)
	}
}

// A server that keeps the stream open after the response does not keep the
// reader.
func TestOpenStreamAfterResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := httpwire.New(httpwire.Options{Base: baseFunc(held("data: " + answer + "\n\n"))})
		defer wire.Close()
		_, text := do(t, wire, newPost(t.Context(), callMessage))
		if diff := cmp.Diff([]string{answer}, messages(t, text)); diff != "" {
			t.Error(diff)
		}
	})
}
