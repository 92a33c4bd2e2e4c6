package multiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// answerAll answers everything, with nothing much.
func answerAll() callbacks.Callbacks {
	return callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "w"}}, nil
		},
		OnSampling: func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "w"}}}, nil
		},
		OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: "file:///w", Name: "w"}}}, nil
		},
	}
}

func TestCapabilitiesInDetail(t *testing.T) {
	all := answerAll()
	tools := &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
	both := &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}, Context: &mcp.SamplingContextCapabilities{}}
	// Every combination of the callbacks and their refinements.
	elicitation := map[string]callbacks.Callbacks{
		"":                                 {},
		"elicitation.form":                 {OnElicitation: all.OnElicitation},
		"elicitation.form,elicitation.url": {OnElicitation: all.OnElicitation, URLElicitation: true},
	}
	roots := map[string]callbacks.Callbacks{"": {URLElicitation: true, Sampling: both}, "roots.listChanged": {OnListRoots: all.OnListRoots}}
	sampling := map[string]callbacks.Callbacks{
		"":                                {},
		"sampling":                        {OnSampling: all.OnSampling},
		"sampling.tools":                  {OnSampling: all.OnSampling, Sampling: tools},
		"sampling.context,sampling.tools": {OnSampling: all.OnSampling, Sampling: both},
	}
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		connections, perServer := config.Connections{}, map[string]callbacks.Callbacks{}
		want := map[string]string{}
		for e, ecb := range elicitation {
			for r, rcb := range roots {
				for sa, scb := range sampling {
					name := fmt.Sprintf("%s;%s;%s", e, r, sa)
					connections[name] = w.connect(t, s, config.Settings{})
					perServer[name] = callbacks.Override(callbacks.Override(rcb, ecb), scb)
					names, details := []string{}, []string{}
					for _, list := range []string{e, r, sa} {
						if list == "" {
							continue
						}
						feature, _, _ := strings.Cut(list, ".")
						names = append(names, feature)
						if list != feature {
							details = append(details, strings.Split(list, ",")...)
						}
					}
					features := map[string]any{"result": names}
					if len(details) > 0 {
						features["details"] = details
					}
					raw, err := json.Marshal(features)
					if err != nil {
						t.Fatal(err)
					}
					want[name] = string(raw)
				}
			}
		}
		if w.process() {
			for name := range connections {
				if len(connections) > 4 && !strings.HasPrefix(name, ";") {
					delete(connections, name)
					delete(perServer, name)
				}
			}
		}
		c := newClient(t, connections, &multiclient.Options{ServerCallbacks: perServer})
		for name := range connections {
			got := call(t, c, name, "client_features", map[string]any{"details": true})
			if diff := cmp.Diff(want[name], normal(t, got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// normal returns JSON with its keys sorted.
func normal(t testing.TB, raw string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func TestWhatIsNotDeclaredIsRefused(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		for kind, test := range map[string]struct {
			unset func(*callbacks.Callbacks)
			names string // the callback, where the server asks all the same
		}{
			"form":     {func(cb *callbacks.Callbacks) { cb.OnElicitation = nil }, "OnElicitation"},
			"url":      {func(cb *callbacks.Callbacks) { cb.URLElicitation = false }, "URLElicitation"},
			"sampling": {func(cb *callbacks.Callbacks) { cb.OnSampling = nil }, "OnSampling"},
			"roots":    {func(cb *callbacks.Callbacks) { cb.OnListRoots = nil }, "OnListRoots"},
		} {
			t.Run(kind, func(t *testing.T) {
				if w.process() && kind != "form" && kind != "roots" {
					return
				}
				cb := answerAll()
				cb.URLElicitation = true
				test.unset(&cb)
				s := testserver.New("one")
				c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
				res, err := c.CallTool(t.Context(), "one", "work_0", map[string]any{"id": "x", "ask": []string{kind}})
				said := ""
				switch {
				case err != nil:
					said = err.Error()
					if !errors.Is(err, multiclient.ErrNoCallback) || w.version == stateful {
						t.Errorf("the call failed with %v", err)
					}
				case res.IsError:
					said = textOf(res)
				default:
					t.Fatalf("the call returned %q", textOf(res))
				}
				// Of elicitation the SDK's older server asks only what was declared.
				asked := w.version == stateless || kind == "sampling" || kind == "roots"
				if want := "Callbacks." + test.names; asked && !strings.Contains(said, want) {
					t.Errorf("it says %q, want %q in it", said, want)
				}
				if !asked && !strings.Contains(said, "does not support") {
					t.Errorf("it says %q", said)
				}
				// The session goes on.
				call(t, c, "one", "echo", map[string]any{"text": "x"})
			})
		}
	})
}

func TestSamplingWithTools(t *testing.T) {
	ask := func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		params := &mcp.CreateMessageWithToolsParams{
			MaxTokens: 1, Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "hi"}}}},
			Tools: []*mcp.Tool{{Name: "t", InputSchema: map[string]any{"type": "object"}}}, ToolChoice: &mcp.ToolChoice{Mode: "auto"},
		}
		var res *mcp.CreateMessageWithToolsResult
		if init := req.Session.InitializeParams(); init != nil && init.ProtocolVersion <= stateful {
			var err error
			if res, err = req.Session.CreateMessageWithTools(ctx, params); err != nil {
				return nil, err
			}
		} else if res, _ = req.Params.InputResponses["q"].(*mcp.CreateMessageWithToolsResult); res == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": params}}, nil
		}
		use := res.Content[0].(*mcp.ToolUseContent)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s %v %s", use.Name, use.Input, res.StopReason)}}}, nil
	}
	onEachWire(t, func(t *testing.T, w wire) {
		if w.process() {
			return // the server is not this one
		}
		s := testserver.New("one")
		s.AddTool(&mcp.Tool{Name: "sample", InputSchema: map[string]any{"type": "object"}}, ask)
		cb := callbacks.Callbacks{OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			if cc.ToolName != "sample" || len(req.Params.Tools) != 1 || req.Params.ToolChoice.Mode != "auto" {
				t.Errorf("%v asked for %+v", cc, req.Params)
			}
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", StopReason: "toolUse", Content: []mcp.Content{
				&mcp.ToolUseContent{ID: "1", Name: "t", Input: map[string]any{"a": 1.0}},
			}}, nil
		}}
		without := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if res, err := without.CallTool(t.Context(), "one", "sample", nil); err == nil {
			t.Errorf("without the capability the call returned %q", textOf(res))
		} else if !errors.Is(err, multiclient.ErrNoCallback) || !strings.Contains(err.Error(), "Sampling.Tools") {
			t.Errorf("without the capability the call gave %v", err)
		}
		cb.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
		with := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if got := call(t, with, "one", "sample", nil); got != "t map[a:1] toolUse" {
			t.Errorf("with the capability the call returned %q", got)
		}
	})
}

func TestRefusalsReachTheServer(t *testing.T) {
	own := &jsonrpc.Error{Code: -32099, Message: "not today", Data: json.RawMessage(`{"when":"tomorrow"}`)}
	// heard is what the server is told, on sessions where it is told.
	var heard error
	ask := func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Kind string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		questions := mcp.InputRequestMap{
			"form":     &mcp.ElicitParams{Mode: "form", Message: "m"},
			"sampling": &mcp.CreateMessageWithToolsParams{MaxTokens: 1, Messages: []*mcp.SamplingMessageV2{}},
			"roots":    &mcp.ListRootsParams{},
		}
		if init := req.Session.InitializeParams(); init == nil || init.ProtocolVersion > stateful {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": questions[in.Kind]}}, nil
		}
		switch q := questions[in.Kind].(type) {
		case *mcp.ElicitParams:
			_, heard = req.Session.Elicit(ctx, q)
		case *mcp.CreateMessageWithToolsParams:
			_, heard = req.Session.CreateMessageWithTools(ctx, q)
		case *mcp.ListRootsParams:
			_, heard = req.Session.ListRoots(ctx, q)
		}
		return nil, heard
	}
	onEachWire(t, func(t *testing.T, w wire) {
		if w.process() {
			return // the server is not this one
		}
		for name, refusal := range map[string]error{"JSON-RPC": own, "plain": errors.New("not today"), "wrapped": fmt.Errorf("because: %w", own)} {
			s := testserver.New("one")
			s.AddTool(&mcp.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}}, ask)
			c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: callbacks.Callbacks{
				OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return nil, refusal
				},
				OnSampling: func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
					return nil, refusal
				},
				OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
					return nil, refusal
				},
			}})
			for _, kind := range []string{"form", "sampling", "roots"} {
				heard = nil
				_, err := c.CallTool(t.Context(), "one", "ask", map[string]any{"kind": kind})
				if err == nil || !strings.Contains(err.Error(), "not today") {
					t.Errorf("%s, %s: the call gave %v", name, kind, err)
				}
				if w.version == stateless {
					// It has no way to be told. The caller is.
					if !errors.Is(err, refusal) || errors.Is(err, multiclient.ErrRefused) {
						t.Errorf("%s, %s: the call gave %v", name, kind, err)
					}
					continue
				}
				var said *jsonrpc.Error
				if !errors.As(heard, &said) || !strings.Contains(said.Message, "not today") {
					t.Fatalf("%s, %s: the server was told %v", name, kind, heard)
				}
				want := *own
				if name == "plain" {
					want.Code, want.Data = jsonrpc.CodeInternalError, nil
				}
				if said.Code != want.Code || string(said.Data) != string(want.Data) {
					t.Errorf("%s, %s: the server was told %d %s", name, kind, said.Code, said.Data)
				}
			}
		}
	})
}
