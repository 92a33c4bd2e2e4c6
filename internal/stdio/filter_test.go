package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// newFilter returns a reader over a stream that is no pipe.
func newFilter(in io.Reader, limit int, stray func([]byte)) *reader {
	gone := make(chan struct{})
	close(gone)
	return &reader{gone: gone, stray: stray, closed: make(chan struct{}), over: make(chan struct{}), lines: newLines(in, limit, stray)}
}

// filter returns the lines that come out of a stream, "TOO LONG" for each line
// that was, and what is stray.
func filter(in io.Reader, limit int) (out, strays []string) {
	r := newFilter(in, limit, func(line []byte) {
		strays = append(strays, string(bytes.TrimSpace(line)))
	})
	var all bytes.Buffer
	for {
		_, err := all.ReadFrom(r)
		var tooLong *LineTooLongError
		if !errors.As(err, &tooLong) {
			break
		}
		if tooLong.Again {
			fmt.Fprintf(&all, "TOO LONG: %v\n", tooLong.Message.ID.Raw())
			continue
		}
		all.WriteString("TOO LONG\n")
	}
	for line := range strings.Lines(all.String()) {
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out, strays
}

// The end of the output, for which others wait, is not where a line is too long.
func TestLineTooLongIsNotTheEnd(t *testing.T) {
	r := newFilter(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"far too long"}`+"\n"), 10, func([]byte) {})
	var tooLong *LineTooLongError
	if _, err := r.message(); !errors.As(err, &tooLong) {
		t.Fatalf("got %v", err)
	}
	select {
	case <-r.over:
		t.Error("it was taken for the end")
	default:
	}
}

func TestFilter(t *testing.T) {
	const (
		call   = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		note   = `{"method":"notifications/message","params":{"data":"a}\"{"},"jsonrpc":"2.0"}`
		answer = `{"result":{"content":[{"type":"text","text":"x"}]},"jsonrpc":"2.0","id":"a"}`
		failed = `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no such method"}}`
	)
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","method":"m","params":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}"
	}
	long := func(n int) string {
		return `{"jsonrpc":"2.0","method":"` + strings.Repeat("m", n-len(`{"jsonrpc":"2.0","method":""}`)) + `"}`
	}
	failure := func(id, text string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32050,"message":"the server's answer is not JSON-RPC: ` + text + `"}}`
	}
	deepAnswer := `{"jsonrpc":"2.0","id":4,"result":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}"
	const limit = 3 * readSize
	tests := []struct {
		name        string
		in          string
		out, strays []string
	}{
		{"nothing", "", nil, nil},
		{"blank lines", "\n\r\n \t \n", nil, nil},
		{"messages", call + "\n" + note + "\n" + answer + "\n" + failed + "\n", []string{call, note, answer, failed}, nil},
		{"no last newline", call, []string{call}, nil},
		{"CRLF", call + "\r\n", []string{call}, nil},
		{"spaces", " \t" + call + " \t\n", []string{call}, nil},
		{"mark", "\uFEFF" + call + "\n \uFEFF " + note + "\n", []string{call, note}, nil},
		{"banner", "Hello\n" + call + "\n", []string{call}, []string{"Hello"}},
		{"tag", "[INFO] ready\n[ {x\n" + call, []string{call}, []string{"[INFO] ready", "[ {x"}},
		{"half", call[:20], nil, []string{call[:20]}},
		{"scalars", "5\n\"x\"\nnull\n{}\n[]\n[1]\n", nil, []string{"5", `"x"`, "null", "{}", "[]", "[1]"}},
		{"two on a line", call + call, nil, []string{call + call}},
		{"rest on the line", call + " # ok", nil, []string{call + " # ok"}},
		{"log in JSON", `{"level":"info"}`, nil, []string{`{"level":"info"}`}},
		{"log of a message", `{"msg":` + call + `}`, nil, []string{`{"msg":` + call + `}`}},
		{"broken answer", `{"jsonrpc":"2.0","id":"\u0061","result":{"x"[INFO] ready`,
			[]string{failure(`"a"`, `{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\",\"result\":{\"x\"[INFO] ready`)},
			[]string{`{"jsonrpc":"2.0","id":"\u0061","result":{"x"[INFO] ready`}},
		{"broken answer in a log", `{"id":1,"result":{"x"`, nil, []string{`{"id":1,"result":{"x"`}},
		{"too deep an answer", deepAnswer, []string{failure(`4`, strings.ReplaceAll(deepAnswer[:512], `"`, `\"`))}, []string{deepAnswer}},
		{"too long an answer", `{"jsonrpc":"2.0","id":4,"result":"` + strings.Repeat("x", limit) + `"}` + "\n" + call, []string{"TOO LONG", call}, nil},
		{"too long an answer, id last", `{"result":"` + strings.Repeat("x", limit) + `","jsonrpc":"2.0","id":4}` + "\n" + call, []string{"TOO LONG", call}, nil},
		{"far too long an answer, id last", `{"result":"` + strings.Repeat("x", 3*limit) + `","jsonrpc":"2.0","id":4}` + "\n" + call, []string{"TOO LONG", "TOO LONG: 4", call}, nil},
		{"half an answer, far too long, before a banner", `{"result":"` + strings.Repeat("x", 2*limit) + "\n[INFO]" + strings.Repeat("x", readSize) + `","jsonrpc":"2.0","id":4}` + "\n" + call,
			[]string{"TOO LONG", call}, []string{"[INFO]" + strings.Repeat("x", readSize-6)}},
		{"other version", `{"jsonrpc":"1.0","id":1,"result":{}}`,
			[]string{failure(`1`, `{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}`)}, []string{`{"jsonrpc":"1.0","id":1,"result":{}}`}},
		{"key in capitals", `{"JSONRPC":"2.0","id":1}`, nil, []string{`{"JSONRPC":"2.0","id":1}`}},
		{"escaped key", `{"jsonrpc":"2.0","id":1,"m\u0065thod":5}`, nil, []string{`{"jsonrpc":"2.0","id":1,"m\u0065thod":5}`}},
		{"two ids", `{"jsonrpc":"2.0","id":true,"id":1}`, nil, []string{`{"jsonrpc":"2.0","id":true,"id":1}`}},
		{"no id", `{"jsonrpc":"2.0","result":{}}`, nil, []string{`{"jsonrpc":"2.0","result":{}}`}},
		{"null id", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, nil, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`}},
		{"odd id", `{"jsonrpc":"2.0","id":true,"method":"x"}`, nil, []string{`{"jsonrpc":"2.0","id":true,"method":"x"}`}},
		{"huge id", `{"jsonrpc":"2.0","id":1e999,"result":{}}`, nil, []string{`{"jsonrpc":"2.0","id":1e999,"result":{}}`}},
		{"odd method", `{"jsonrpc":"2.0","id":1,"method":5}`, nil, []string{`{"jsonrpc":"2.0","id":1,"method":5}`}},
		{"null id of a notification", `{"jsonrpc":"2.0","id":null,"method":"x"}`, []string{`{"jsonrpc":"2.0","id":null,"method":"x"}`}, nil},
		{"null error", `{"jsonrpc":"2.0","id":1,"result":1,"error":null}`, []string{`{"jsonrpc":"2.0","id":1,"result":1,"error":null}`}, nil},
		{"odd error", `{"jsonrpc":"2.0","id":"x","error":"boom"}`,
			[]string{`{"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"the server answered with a malformed error: \"boom\""}}`},
			[]string{`{"jsonrpc":"2.0","id":"x","error":"boom"}`}},
		{"odd error of a request", `{"jsonrpc":"2.0","id":1,"method":"m","error":5}`, nil, []string{`{"jsonrpc":"2.0","id":1,"method":"m","error":5}`}},
		{"batch", "[" + call + ", " + answer + " ]", []string{call, answer}, nil},
		{"odd batch", "[" + call + `,{"a":1},2]`, []string{call}, []string{"[" + call + `,{"a":1},2]`}},
		{"deep", deep(999) + "\n" + deep(1000) + "\n" + deep(20000), []string{deep(999)}, []string{deep(1000), deep(20000)}},
		{"longer than a read", long(readSize+1) + "\n" + call, []string{long(readSize + 1), call}, nil},
		{"longest", long(limit) + "\r\n" + call, []string{long(limit), call}, nil},
		{"too long", long(limit+1) + "\n" + call, []string{"TOO LONG", call}, nil},
		{"far too long", long(2*limit) + "\n" + call, []string{"TOO LONG", call}, nil},
		{"too long at the end", call + "\n" + long(limit+1), []string{call, "TOO LONG"}, nil},
		{"long banner", strings.Repeat("x", 2*limit) + "\n" + call, []string{call}, []string{strings.Repeat("x", readSize)}},
		{"long tag", "[INFO]" + strings.Repeat("x", 2*limit) + "\n" + call, []string{call}, []string{"[INFO]" + strings.Repeat("x", readSize-6)}},
		{"long banner at the end", strings.Repeat("x", 2*readSize+1), nil, []string{strings.Repeat("x", readSize)}},
		{"long blank", strings.Repeat(" ", 2*limit) + "\n" + call, []string{call}, nil},
		{"long half", long(2 * readSize)[:readSize+7], nil, []string{long(2 * readSize)[:readSize+7]}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"whole":     strings.NewReader(tt.in),
				"with EOF":  iotest.DataErrReader(strings.NewReader(tt.in)),
				"by halves": iotest.HalfReader(strings.NewReader(tt.in)),
				"by bytes":  iotest.OneByteReader(strings.NewReader(tt.in)),
			} {
				out, strays := filter(in, limit)
				if diff := cmp.Diff(tt.out, out); diff != "" {
					t.Errorf("%s: out (-want +got):\n%.2000s", name, diff)
				}
				if diff := cmp.Diff(tt.strays, strays); diff != "" {
					t.Errorf("%s: strays (-want +got):\n%.2000s", name, diff)
				}
			}
		})
	}
}

// A Read may take as little as it likes.
func TestFilterSmallReads(t *testing.T) {
	const in = `{"jsonrpc":"2.0","method":"a"}` + "\n" + `[{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"c"}]`
	const want = `{"jsonrpc":"2.0","method":"a"}` + "\n" + `{"jsonrpc":"2.0","method":"b"}` + "\n" + `{"jsonrpc":"2.0","method":"c"}` + "\n"
	r := newFilter(strings.NewReader(in), 1000, func([]byte) {})
	got, err := io.ReadAll(iotest.OneByteReader(r))
	if err != nil || string(got) != want {
		t.Errorf("got %q and %v", got, err)
	}
	if n, err := newFilter(strings.NewReader(in), 1000, func([]byte) {}).Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing: %d, %v", n, err)
	}
}

func TestFilterPassesErrors(t *testing.T) {
	broken := errors.New("broken")
	half := io.MultiReader(strings.NewReader(`{"jsonrpc`), iotest.ErrReader(broken))
	r := newFilter(half, 1000, func(line []byte) { t.Errorf("stray %q", line) })
	if _, err := r.Read(make([]byte, 10)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Neither long lines nor long batches leave a large buffer behind.
func TestFilterFreesMemory(t *testing.T) {
	long := `{"jsonrpc":"2.0","method":"` + strings.Repeat("m", 2*maxKept) + `"}`
	r := newFilter(strings.NewReader(long+"\n{\"jsonrpc\":\"2.0\",\"method\":\"\"}\n"), 4*maxKept, func([]byte) {})
	for range 2 {
		if _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	if got := cap(r.lines.long); got > maxKept {
		t.Errorf("%d bytes are kept", got)
	}
}
