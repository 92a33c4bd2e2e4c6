package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"
)

const methodCallTool = "tools/call"

// CodeTaken is the code of [ErrTaken].
const CodeTaken = -32052

// ErrTaken is the error that the SDK is given in the place of a result that was
// taken. A server that sends such an error fails its call with it.
var ErrTaken = &jsonrpc.Error{Code: CodeTaken, Message: "the result was taken past the SDK"}

// A Mend returns what the SDK can decode in the place of the result of a method
// that it cannot.
type Mend func(method string, result []byte) (other []byte, changed bool)

// taken is the result of a tool call that goes past the SDK, which decodes it
// twice, each time by way of a new buffer of 32 KB. That costs more than all else
// that is done for a call.
type taken struct {
	result []byte
	mend   Mend
}

// Take keeps the result of a call of a tool for the middleware of the tracker,
// and reports whether it does, so that the SDK is to be given [ErrTaken]. It does
// not if c is nil. It owns result from then on.
func (c *Call) Take(result []byte, mend Mend) bool {
	if c == nil || !c.takes || len(result) == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = taken{result, mend}
	return true
}

// Take does so for the call that ctx belongs to, and copies the result.
func (t *Tracker) Take(ctx context.Context, result []byte, mend Mend) bool {
	c := t.streamOf(ctx)
	return c != nil && c.takes && c.Take(append([]byte(nil), result...), mend)
}

// given returns what the SDK has returned for the call, or the result that was
// taken in its place.
func (c *Call) given(res mcp.Result, err error) (mcp.Result, error) {
	c.mu.Lock()
	taken := c.taken
	c.taken.result = nil
	c.mu.Unlock()
	if err == nil || taken.result == nil || !errors.Is(err, ErrTaken) {
		return res, err
	}
	return contained(func() (mcp.Result, error) { return c.tracker.decode(taken) })
}

// decode returns what the SDK would have decoded.
func (t *Tracker) decode(taken taken) (mcp.Result, error) {
	if res, ok := t.decodePlain(taken.result); ok {
		return res, nil
	}
	if other, changed := taken.mend(methodCallTool, taken.result); changed {
		taken.result = other
	}
	res := new(mcp.CallToolResult)
	if err := res.UnmarshalJSON(taken.result); err != nil {
		return nil, fmt.Errorf("calling %q: %w", methodCallTool, err)
	}
	return res, nil
}

// A plainResult is a result as most are: finished, and with nothing but text in
// its content.
type plainResult struct {
	Meta              mcp.Meta        `json:"_meta"`
	Content           []plainBlock    `json:"content"`
	StructuredContent any             `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	ResultType        string          `json:"resultType"`
	InputRequests     json.RawMessage `json:"inputRequests"`
	RequestState      json.RawMessage `json:"requestState"`
}

type plainBlock struct {
	Type        string           `json:"type"`
	Text        string           `json:"text"`
	Meta        mcp.Meta         `json:"_meta"`
	Annotations *mcp.Annotations `json:"annotations"`
}

// decodePlain decodes such a result by the rules of the SDK. It returns false for
// any other, and for one that it cannot decode.
func (t *Tracker) decodePlain(data []byte) (*mcp.CallToolResult, bool) {
	var plain plainResult
	if rest, err := json.Parse(data, &plain, json.DontMatchCaseInsensitiveStructFields); err != nil || len(rest) > 0 {
		return nil, false
	}
	if plain.InputRequests != nil || plain.RequestState != nil || plain.StructuredContent != nil && longDigits(data) {
		return nil, false
	}
	res := new(mcp.CallToolResult)
	switch plain.ResultType {
	case "":
	case completeResult:
		*res = t.complete
	default:
		return nil, false
	}
	res.Meta, res.StructuredContent, res.IsError = plain.Meta, plain.StructuredContent, plain.IsError
	res.Content = make([]mcp.Content, len(plain.Content))
	for i, block := range plain.Content {
		if block.Type != "text" {
			return nil, false
		}
		res.Content[i] = &mcp.TextContent{Text: block.Text, Meta: block.Meta, Annotations: block.Annotations}
	}
	return res, true
}

// completeResult is the type of a finished result as of 2026-07-28.
const completeResult = "complete"

// emptyComplete returns a result of that type, which only the SDK can set.
func emptyComplete() (res mcp.CallToolResult) {
	if err := res.UnmarshalJSON([]byte(`{"resultType":"` + completeResult + `"}`)); err != nil {
		return mcp.CallToolResult{}
	}
	return res
}
