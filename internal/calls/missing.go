package calls

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A MissingError says that a server asked for something that there is no
// callback for.
type MissingError struct {
	Method   string // of the server's request
	Callback string // the field of callbacks.Callbacks
	Err      error
}

func (e *MissingError) Error() string {
	s := "the server sent " + e.Method + ", and callbacks.Callbacks." + e.Callback + " is not set"
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *MissingError) Unwrap() error { return e.Err }

// isMissing returns the MissingError in err, or nil.
func isMissing(err error) *MissingError {
	var m *MissingError
	if errors.As(err, &m) {
		return m
	}
	return nil
}

// missing returns the error for a request that there is no callback for, or
// nil.
func (t *Tracker) missing(method string) *MissingError {
	switch {
	case method == methodElicit && t.callbacks.OnElicitation == nil:
		return &MissingError{Method: method, Callback: "OnElicitation"}
	case method == methodCreateMessage && t.callbacks.OnSampling == nil:
		return &MissingError{Method: method, Callback: "OnSampling"}
	case method == methodListRoots && t.callbacks.OnListRoots == nil:
		return &MissingError{Method: method, Callback: "OnListRoots"}
	}
	return nil
}

// refusals is what a server is told that asks for what it was not offered, by
// the field that is not set.
var refusals = map[string]*jsonrpc.Error{
	// The modes of elicitation that are not declared are invalid parameters.
	"OnElicitation":  {Code: jsonrpc.CodeInvalidParams, Message: "the client does not support elicitation"},
	"URLElicitation": {Code: jsonrpc.CodeInvalidParams, Message: "the client does not support elicitation in url mode"},
	"OnSampling":     {Code: jsonrpc.CodeMethodNotFound, Message: "the client does not support sampling"},
	"Sampling.Tools": {Code: jsonrpc.CodeInvalidParams, Message: "the client does not support sampling with tools"},
	"OnListRoots":    {Code: jsonrpc.CodeMethodNotFound, Message: "the client does not support roots"},
}

// refuse returns the error for a request that ctx belongs to, and notes with
// the calls that it may belong to that there is no callback for it.
func (m *MissingError) refuse(ctx context.Context) error {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil || !r.id.IsValid() {
		return m // it came inside a result, and fails the call here
	}
	m.note(r)
	return refusals[m.Callback]
}

// note records a request in vain with the calls that it may belong to.
func (m *MissingError) note(r *request) {
	if r.call != nil {
		r.call.lacks(m, true)
	}
	for _, c := range r.possible {
		c.lacks(m, false)
	}
}

// lacks records that the server asked for what there is no callback for, and
// whether that was surely for this call.
func (c *Call) lacks(m *MissingError, certain bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing == nil || certain && !c.missingCertain {
		c.missing, c.missingCertain = m, certain
	}
}

// lacked returns what the server asked for in vain before the call failed, or
// nil if that was nothing or has nothing to do with it, as far as the text of
// the failure tells.
func (c *Call) lacked(text string) *MissingError {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing == nil || !c.missingCertain && !strings.Contains(text, refusals[c.missing.Callback].Message) {
		return nil
	}
	return c.missing
}

// explain adds to an error what the server asked for in vain, if it did.
func (c *Call) explain(err error) error {
	if isMissing(err) != nil {
		return err
	}
	m := c.lacked(err.Error())
	if m == nil {
		return err
	}
	return &MissingError{Method: m.Method, Callback: m.Callback, Err: err}
}

// explainResult does the same for the result of a tool that failed.
func (c *Call) explainResult(res mcp.Result) mcp.Result {
	r, ok := res.(*mcp.CallToolResult)
	if !ok || !r.IsError {
		return res
	}
	var text strings.Builder
	for _, content := range r.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if m := c.lacked(text.String()); m != nil {
		r.Content = append(r.Content, &mcp.TextContent{Text: m.Error()})
	}
	return res
}
