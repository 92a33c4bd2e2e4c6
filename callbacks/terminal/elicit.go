package terminal

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// How a request can be answered, in the words of the specification.
const (
	accept  = "accept"
	decline = "decline"
	cancel  = "cancel"
)

func (t *Terminal) elicit(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(t.closing, stop)()

	asked := fmt.Sprintf("%s asked %q", labelOf(cc), clean(req.Params.Message, maxTitle))
	if t.in == nil {
		res, err := t.answer(ctx, cc, req)
		t.print(asked + ": " + outcome(res, err))
		return res, err
	}

	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil || t.closing.Err() != nil {
		return t.withdrawn(ctx)
	}
	width, height := t.size()
	d, err := newDialog(cc, req.Params, width, height)
	if err != nil {
		t.print(asked + ": " + outcome(nil, err))
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	if d.preface != "" {
		t.print(d.preface)
	}
	t.suspend()
	err = d.run(ctx, t.in, t.file)
	var res *mcp.ElicitResult
	switch {
	case err != nil:
		err = fmt.Errorf("terminal: form: %w", err)
	case d.action == "":
		res, err = t.withdrawn(ctx)
	default:
		res = &mcp.ElicitResult{Action: d.action}
		if d.action == accept && d.review != nil {
			res.Content = d.content()
		}
	}
	t.resume(asked + ": " + outcome(res, err))
	return res, err
}

// withdrawn is the result when nobody may answer any more.
func (t *Terminal) withdrawn(ctx context.Context) (*mcp.ElicitResult, error) {
	if t.closing.Err() != nil {
		return &mcp.ElicitResult{Action: cancel}, nil
	}
	return nil, context.Cause(ctx)
}

func outcome(res *mcp.ElicitResult, err error) string {
	switch {
	case err != nil:
		return "no answer: " + clean(err.Error(), maxMessage)
	case res == nil:
		return "no answer"
	case res.Action == accept:
		return "accepted"
	case res.Action == decline:
		return "declined"
	case res.Action == cancel:
		return "cancelled"
	default:
		return clean(res.Action, maxLevel)
	}
}
