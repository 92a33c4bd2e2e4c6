package stdio

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sameAsSDK checks that each message in line is decoded as the SDK decodes it,
// and encoded so that the SDK reads the same.
func sameAsSDK(t *testing.T, line []byte) {
	t.Helper()
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	ids := cmp.Comparer(func(a, b jsonrpc.ID) bool { return a == b })
	for _, message := range appendMessages(nil, line, func([]byte) {}) {
		want, err := jsonrpc.DecodeMessage(message)
		if err != nil {
			t.Fatalf("the SDK does not read %q: %v", message, err)
		}
		got, err := decode(message)
		if err != nil {
			t.Fatalf("%q: %v", message, err)
		}
		if diff := cmp.Diff(want, got, ids); diff != "" {
			t.Fatalf("%q is decoded otherwise (-want +got):\n%s", message, diff)
		}
		wantLine, wantErr := jsonrpc.EncodeMessage(want)
		gotLine, err := appendEncoded([]byte("x"), got)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("encoding %q: %v and %v", message, err, wantErr)
		}
		if err != nil {
			continue
		}
		body := bytes.TrimSuffix(bytes.TrimPrefix(gotLine, []byte("x")), []byte("\n"))
		if bytes.ContainsAny(body, "\r\n") {
			t.Fatalf("%q was written as more than one line: %q", message, gotLine)
		}
		if diff := cmp.Diff(compact(t, wantLine), compact(t, body)); diff != "" {
			t.Fatalf("%q is encoded otherwise (-want +got):\n%s", message, diff)
		}
	}
}

func compact(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return b.String()
}

var codecSeeds = []string{
	`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}`,
	`{"jsonrpc":"2.0","id":"a","result":{}}`,
	`{"jsonrpc":"2.0","id":"\u00e4","result":{}}`,
	`{"jsonrpc":"2.0","id":1.5,"result":{}}`,
	`{"jsonrpc":"2.0","id":-0,"result":{}}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`,
	`{"jsonrpc":"2.0","id":1e3,"method":"x"}`,
	`{"jsonrpc":"2.0","id":1,"result":null}`,
	`{"jsonrpc":"2.0","id":1}`,
	`{"jsonrpc":"2.0","id":1,"result":{},"result":{"a":1}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":[1]}}`,
	`{"jsonrpc":"2.0","id":1,"result":1,"error":null}`,
	`{"jsonrpc":"2.0","id":null,"method":"x"}`,
	`{"jsonrpc":"2.0","method":""}`,
	`{"jsonrpc":"2.0","method":"notifications/\u0061","params":{"a": [1, 2]}}`,
	`{"jsonrpc":"2.0","method":"x","params":null}`,
	`{"jsonrpc":"2.0","method":"x","params":[1]}`,
	`{"jsonrpc":"2.0","method":"<&>","params":{"a":"<&>\u2028"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`,
	`{"jsonrpc":"2.0","id":"","method":"x","extra":1}`,
	"{\"jsonrpc\":\"2.0\",\"id\":1,\r\"result\":{\"a\":\r1}}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"\x80\",\"method\":\"\xff\"}",
}

func TestCodec(t *testing.T) {
	for _, seed := range codecSeeds {
		sameAsSDK(t, []byte(seed))
	}
}

func FuzzCodec(f *testing.F) {
	for _, seed := range codecSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') < 0 {
			sameAsSDK(t, line)
		}
	})
}
