package calls

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func asIs(string, []byte) ([]byte, bool) { return nil, false }

func TestTakenResults(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"text":                 `{"content":[{"type":"text","text":"x"},{"type":"text","text":"\u00fc"}]}`,
		"everything else":      `{"_meta":{"a":[1]},"content":[],"structuredContent":{"n":1.5},"isError":true,"unheard":{}}`,
		"of 2026-07-28":        `{"content":[{"type":"text","text":"x","_meta":{"b":2},"annotations":{"audience":["user"]}}],"resultType":"complete"}`,
		"another type":         `{"content":[],"resultType":"partial"}`,
		"input":                `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{}}},"requestState":"s"}`,
		"an image":             `{"content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}`,
		"nothing":              `{}`,
		"null":                 `null`,
		"integers of any size": `{"content":[],"structuredContent":{"n":9007199254740993}}`,
	} {
		tracker := newTracker(t, all(new(recorder)))
		c, err := tracker.begin(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		c.takes = true
		if !tracker.Take(c.wireCtx, []byte(raw), asIs) {
			t.Fatalf("%s: it was not taken", name)
		}
		res, err := c.given(nil, ErrTaken)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var want mcp.CallToolResult
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, res, cmp.AllowUnexported(mcp.CallToolResult{})); diff != "" {
			t.Errorf("%s (-sdk +ours):\n%s", name, diff)
		}
		// It counts once, and only for who was given the error.
		if _, err := c.given(nil, ErrTaken); !errors.Is(err, ErrTaken) {
			t.Errorf("%s: it was given twice", name)
		}
	}
}

func TestWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	tracker := newTracker(t, all(new(recorder)))
	c, err := tracker.begin(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if tracker.Take(t.Context(), []byte(`{}`), asIs) || tracker.Take(c.wireCtx, []byte(`{}`), asIs) {
		t.Error("a result was taken that is of no call of a tool")
	}
	c.takes = true
	if c.Take(nil, asIs) {
		t.Error("a result was taken that is none")
	}
	forged := &jsonrpc.Error{Code: CodeTaken, Message: "forged"}
	if res, err := c.given(nil, forged); res != nil || !errors.Is(err, forged) {
		t.Errorf("with the server's own error: %v, %v", res, err)
	}
	if !c.Take([]byte(`{"content":[]}`), asIs) {
		t.Fatal("it was not taken")
	}
	ended := errors.New("ended")
	if res, err := c.given(nil, ended); res != nil || err != ended {
		t.Errorf("of a call that has ended otherwise: %v, %v", res, err)
	}
}

// FuzzPlain compares results that are decoded here with what the SDK makes of
// them.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"x"}]}`, `{"content":[{"type":"text","text":"a"}],"content":[{"type":"text"}]}`,
		`{"_meta":{"a":1},"structuredContent":[1,"2",null],"isError":true,"resultType":"complete"}`,
		`{"content":[{"Type":"text","type":"text","text":null,"annotations":{"priority":1}}]}`, `{"content":null}`, ` null `, `7`,
	} {
		f.Add([]byte(seed))
	}
	tracker := &Tracker{complete: emptyComplete()}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return // the transport does not let it through
		}
		got, ok := tracker.decodePlain(data)
		var want mcp.CallToolResult
		if err := want.UnmarshalJSON(data); !ok || err != nil {
			return
		}
		if diff := cmp.Diff(&want, got, cmp.AllowUnexported(mcp.CallToolResult{})); diff != "" {
			t.Errorf("%s (-sdk +ours):\n%s", data, diff)
		}
	})
}
