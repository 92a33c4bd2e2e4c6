package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What comes out never fails the SDK's connection, and a message on a line of
// its own always comes out.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"hello", "{oops", "[INFO] x", "{}", "[{}]", `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`[{"jsonrpc":"2.0","id":1,"error":5}]`, `{"jsonrpc":"2.0","id":1e400,"method":"x"}`,
		`{"jsonrpc":"2.0","method":"\ud800","id":-0.5}`, "\uFEFF{\"\":1}\r", `{"jsonrpc":"2.0","id":{},"id":"x"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"Code":"x"},"error":{"message":null}}`,
	} {
		f.Add([]byte(seed))
	}
	const last = `{"jsonrpc":"2.0","method":"last"}`
	f.Fuzz(func(t *testing.T, noise []byte) {
		const limit = 1 << 10
		stream := func() io.Reader {
			return io.MultiReader(bytes.NewReader(noise), strings.NewReader("\n"+last+"\n"))
		}
		own := &connection{in: newFilter(stream(), limit, func([]byte) {}), quote: newQuoter(nil, nil)}
		sdk := connect(t, stream(), limit)
		defer sdk.Close()
		for _, conn := range []mcp.Connection{sdk, own} {
			if got := lastOf(t, conn); got != "last" {
				t.Errorf("the last message was lost: got %q", got)
			}
		}
	})
}

// lastOf reads all messages and returns the method of the last.
func lastOf(t *testing.T, conn mcp.Connection) string {
	t.Helper()
	var last string
	var tooLong *LineTooLongError
	for {
		message, err := conn.Read(context.Background())
		switch {
		case errors.Is(err, io.EOF):
			return last
		case errors.As(err, &tooLong):
			continue
		case err != nil:
			t.Fatalf("the SDK fails: %v", err)
		}
		if request, ok := message.(*jsonrpc.Request); ok {
			last = request.Method
		}
	}
}

// connect returns a connection of the SDK over a filtered stream. Lines that
// are too long are left out.
func connect(t *testing.T, in io.Reader, limit int) mcp.Connection {
	t.Helper()
	filtered := &lenient{newFilter(in, limit, func([]byte) {})}
	conn, err := (&mcp.IOTransport{
		Reader: io.NopCloser(filtered), Writer: discard{}, MaxLineLength: -1,
	}).Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

type lenient struct{ *reader }

func (l *lenient) Read(b []byte) (int, error) {
	for {
		n, err := l.reader.Read(b)
		var tooLong *LineTooLongError
		if !errors.As(err, &tooLong) {
			return n, err
		}
	}
}

// walk must agree with encoding/json on what a value consists of.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"a":1,"b":[true,null,{"c":"\\\""}]}`, `[1 , "a" ,[],{} , -1.5e3]`, "{ \"a\" :\t\"b\" \r}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.TrimSpace(b)
		if !json.Valid(b) || b[0] != '{' && b[0] != '[' {
			return
		}
		var got []string
		depth := walk(b, func(key, value []byte) {
			if b[0] == '{' {
				var k string
				if err := json.Unmarshal(slices.Concat([]byte(`"`), key, []byte(`"`)), &k); err != nil {
					t.Errorf("key %q: %v", key, err)
				}
				got = append(got, k)
			}
			got = append(got, string(value))
		})
		if diff := cmp.Diff(members(t, b), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", b, diff)
		}
		if want := nesting(b); depth != want {
			t.Errorf("%q: depth %d, want %d", b, depth, want)
		}
	})
}

// members is what walk visits, by encoding/json.
func members(t *testing.T, b []byte) (out []string) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		if b[0] == '{' {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(key))
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return out
}

// nesting returns how deeply a valid value nests.
func nesting(b []byte) (deepest int) {
	dec := json.NewDecoder(bytes.NewReader(b))
	for open := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open++
			deepest = max(deepest, open)
		case json.Delim('}'), json.Delim(']'):
			open--
		}
	}
}
