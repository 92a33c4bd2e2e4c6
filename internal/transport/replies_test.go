package transport

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestResponseID(t *testing.T) {
	encode := func(msg jsonrpc.Message) string {
		raw, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	id := func(raw any) jsonrpc.ID {
		id, err := jsonrpc.MakeID(raw)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, test := range []struct {
		body string
		want jsonrpc.ID
	}{
		{encode(&jsonrpc.Response{ID: id("a"), Result: []byte(`{"id":"b"}`)}), id("a")},
		{encode(&jsonrpc.Response{ID: id(7.0), Result: []byte(`{}`)}), id(7.0)},
		{encode(&jsonrpc.Response{ID: id(0.0), Error: &jsonrpc.Error{Code: 1, Message: "no"}}), id(0.0)},
		{encode(&jsonrpc.Request{ID: id("a"), Method: "tools/call", Params: []byte(`{"result":1}`)}), jsonrpc.ID{}},
		{encode(&jsonrpc.Request{Method: "notifications/cancelled"}), jsonrpc.ID{}},
		{`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`, jsonrpc.ID{}},
		{`[{"jsonrpc":"2.0","id":1,"result":{}}]`, jsonrpc.ID{}},
		{`{"jsonrpc":"2.0"}`, jsonrpc.ID{}},
		{`{"jsonrpc":`, jsonrpc.ID{}},
		{``, jsonrpc.ID{}},
	} {
		if got := responseID(strings.NewReader(test.body)); got != test.want {
			t.Errorf("the id of %s is %v, want %v", test.body, got.Raw(), test.want.Raw())
		}
	}
}
