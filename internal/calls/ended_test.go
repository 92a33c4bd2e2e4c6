package calls

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// TestEndedCallIsNotSentAgain: what a call waits for may come just when it is
// cancelled. Its server has to do nothing more for it then.
func TestEndedCallIsNotSentAgain(t *testing.T) {
	question := needs[mcp.CallToolResult](t, `{"a":{"method":"elicitation/create","params":{"message":"m"}}}`, "s")
	visit := &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired,
		Data: []byte(`{"elicitations":[{"mode":"url","message":"m","url":"https://visit.example/","elicitationId":"i"}]}`)}
	for name, test := range map[string]struct {
		first end
		early bool // the context has ended before the call
		want  int  // how often the server is sent the call
	}{
		"before the call": {early: true},
		"in a round":      {first: end{question, nil}, want: 1},
		"at a visit":      {first: end{nil, visit}, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tracker := newTracker(t, callbacks.Callbacks{
				URLElicitation: true,
				OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					cancel()
					return &mcp.ElicitResult{Action: "accept", Meta: mcp.Meta{callbacks.Completed: true}}, nil
				},
			})
			if test.early {
				cancel()
			}
			sent := 0
			handler := tracker.Sending()(func(context.Context, string, mcp.Request) (mcp.Result, error) {
				if sent++; sent > 1 {
					return &mcp.CallToolResult{}, nil
				}
				return test.first.res, test.first.err
			})
			_, err := handler(ctx, "tools/call", &mcp.ClientRequest[mcp.Params]{Session: &mcp.ClientSession{}, Params: &mcp.CallToolParams{Name: "a"}})
			if !errors.Is(err, context.Canceled) || sent != test.want {
				t.Errorf("it was sent %d times, want %d, and gave %v", sent, test.want, err)
			}
		})
	}
}
