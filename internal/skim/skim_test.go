package skim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

func Example() {
	var s skim.Skimmer
	s.Write([]byte(`{"result":{"content":[{"type":"text","text":"very `))
	s.Write([]byte(`long"}]},"jsonrpc":"2.0","id":7}`))
	m := s.Message()
	fmt.Println(m.Kind == skim.Response, m.ID.Raw())
	// Output: true 7
}

func TestMessage(t *testing.T) {
	for _, test := range []struct {
		text string
		kind skim.Kind
		id   any
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"id":8}}`, skim.Response, int64(7)},
		{`{"result":{"id":8,"a":[{"id":9}]},"jsonrpc":"2.0","id":7}`, skim.Response, int64(7)},
		{`{"result":{"text":"},\"id\":9,{\\"},"id":"a\"b"}`, skim.Response, `a"b`},
		{` { "id" : "x" , "error" : null } `, skim.Response, "x"},
		{`{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"result":1}}`, skim.Request, int64(3)},
		{`{"params":{},"method":"m","id":3}`, skim.Request, int64(3)},
		{`{"jsonrpc":"2.0","method":"notifications/message","params":{"id":5}}`, skim.Request, nil},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, skim.Response, nil},
		{`{"jsonrpc":"2.0","id":{"id":1},"result":{}}`, skim.Response, nil},
		{`{"id":"` + strings.Repeat("x", 2000) + `","result":1}`, skim.Response, nil},
		{`{"` + strings.Repeat("x", 2000) + `":1,"id":1,"result":1}`, skim.Response, int64(1)},
		{`{"identity":1,"i":2,"result":1}`, skim.Response, nil},
		{`[{"id":1,"result":{}}]`, skim.Unknown, nil},
		{`{"id":1`, skim.Unknown, nil},
		{`}}}]],,::"`, skim.Unknown, nil},
		{``, skim.Unknown, nil},
	} {
		for _, size := range []int{1, 3, 1 << 20} {
			var s skim.Skimmer
			s.Write([]byte(`{"id":99,"result":{`))
			s.Reset()
			for b := []byte(test.text); len(b) > 0; {
				n := min(size, len(b))
				s.Write(b[:n])
				b = b[n:]
			}
			if m := s.Message(); m.Kind != test.kind || m.ID.Raw() != test.id {
				t.Errorf("%.80s in parts of %d: kind %v, id %v; want %v, %v", test.text, size, m.Kind, m.ID.Raw(), test.kind, test.id)
			}
		}
	}
}

// FuzzMessage compares with a decoder of the whole, where there is only one
// member of each name and none is written in another way.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{"id":8}}`))
	f.Add([]byte(`{"result":"},\"id\":9,{\\","id":"a\"b"}`))
	f.Add([]byte(`{"method":[[{}]],"id":-1.5e3}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s skim.Skimmer
		s.Write(b)
		var members map[string]json.RawMessage
		if json.Unmarshal(b, &members) != nil || bytes.Count(b, []byte(`"id"`)) > 1 || bytes.Contains(b, []byte(`\u`)) || len(members["id"]) > 1000 {
			return
		}
		var want jsonrpc.ID
		var raw any
		if json.Unmarshal(members["id"], &raw) == nil {
			want, _ = jsonrpc.MakeID(raw)
		}
		m := s.Message()
		if m.ID != want {
			t.Errorf("%q: the id is %v, want %v", b, m.ID.Raw(), want.Raw())
		}
		_, result := members["result"]
		_, failed := members["error"]
		if (m.Kind == skim.Response) && !result && !failed {
			t.Errorf("%q is no response", b)
		}
	})
}
