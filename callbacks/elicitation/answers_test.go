package elicitation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

type handler = func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

func answer(t *testing.T, h handler, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	t.Helper()
	return h(t.Context(), callbacks.CallbackContext{ServerName: "s"}, &mcp.ElicitRequest{Params: params})
}

func TestReadyAnswers(t *testing.T) {
	form := func(schema string) *mcp.ElicitParams {
		return &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(schema)}
	}
	samples := map[string]any{"name": "Ada", "age": 36, "colour": "ultraviolet", "unasked": true}
	for _, tc := range []struct {
		name    string
		handler handler
		params  *mcp.ElicitParams
		want    *mcp.ElicitResult
	}{
		{"decline", elicitation.Decline, form(everything), &mcp.ElicitResult{Action: "decline"}},
		{"cancel", elicitation.Cancel, form(everything), &mcp.ElicitResult{Action: "cancel"}},
		{"only consent asked", elicitation.AcceptDefaults(nil), &mcp.ElicitParams{}, &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}},
		{"required without default or sample", elicitation.AcceptDefaults(nil), form(everything), &mcp.ElicitResult{Action: "decline"}},
		{
			"defaults first, then samples", elicitation.AcceptDefaults(samples),
			form(`{"properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 1}, "optional": {"type": "string"}}, "required": ["name", "age"]}`),
			&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "age": int64(1)}},
		},
		{
			"sample for an optional field", elicitation.AcceptDefaults(samples),
			form(`{"properties": {"age": {"type": "number"}}}`),
			&mcp.ElicitResult{Action: "accept", Content: map[string]any{"age": 36.0}},
		},
		{
			"sample that does not fit an optional field", elicitation.AcceptDefaults(samples),
			form(`{"properties": {"colour": {"enum": ["red"]}}}`),
			&mcp.ElicitResult{Action: "accept", Content: map[string]any{}},
		},
		{
			"sample that does not fit a required field", elicitation.AcceptDefaults(samples),
			form(`{"properties": {"colour": {"enum": ["red"]}}, "required": ["colour"]}`),
			&mcp.ElicitResult{Action: "decline"},
		},
		{"a URL", elicitation.AcceptDefaults(samples), &mcp.ElicitParams{Mode: "url", URL: "https://example.com"}, &mcp.ElicitResult{Action: "decline"}},
		{"a URL without mode", elicitation.AcceptDefaults(samples), &mcp.ElicitParams{URL: "https://example.com"}, &mcp.ElicitResult{Action: "decline"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := answer(t, tc.handler, tc.params)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAcceptDefaultsRefusesABadSchema(t *testing.T) {
	got, err := answer(t, elicitation.AcceptDefaults(nil), &mcp.ElicitParams{RequestedSchema: map[string]any{"type": "array"}})
	var rpc *jsonrpc.Error
	if got != nil || !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeInvalidParams || !strings.Contains(rpc.Message, "requested schema") {
		t.Errorf("answer = %v, %v; want invalid params", got, err)
	}
}

func TestAcceptDefaultsCopiesTheSamples(t *testing.T) {
	samples := map[string]any{"a": "before"}
	h := elicitation.AcceptDefaults(samples)
	samples["a"] = "after"
	got, err := answer(t, h, &mcp.ElicitParams{RequestedSchema: json.RawMessage(`{"properties": {"a": {"type": "string"}}}`)})
	if err != nil || got.Content["a"] != "before" {
		t.Errorf("answer = %v, %v; want the sample as it was", got, err)
	}
}

// The SDK checks answers against the schema before they go out: what this
// package calls valid must pass there, value types included.
func TestAnswersPassTheSDK(t *testing.T) {
	ctx := t.Context()
	h := elicitation.AcceptDefaults(map[string]any{
		"name": "Ada", "check": true, "email": "ada@example.com", "homepage": "https://example.com", "birthdate": "1815-12-10", "code": "ADA",
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return h(ctx, callbacks.CallbackContext{}, req)
		},
	})
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	var got *mcp.ElicitResult
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		var err error
		got, err = req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(everything)})
		return nil, nil, err
	})
	ct, st := mcp.NewInMemoryTransports()
	ss, err := server.Connect(ctx, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Wait()
	cs, err := client.Connect(ctx, ct, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "ask"})
	if err != nil || res.IsError {
		t.Fatalf("CallTool: %v, %v", res, err)
	}
	if got.Action != "accept" || len(got.Content) != 14 {
		t.Errorf("the server received %+v, want an answer to all 14 fields", got)
	}
}
