package multiclient_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// onEachEverything runs a test with server-everything over each transport that
// it offers.
func onEachEverything(t *testing.T, test func(t *testing.T, connection config.Connection)) {
	t.Run("stdio", func(t *testing.T) {
		leak.Check(t)
		test(t, node(t, npmservers.Everything, "stdio"))
	})
	t.Run("http", func(t *testing.T) {
		url := npmservers.StartHTTP(t, npmservers.StreamableHTTP)
		leak.Check(t)
		test(t, config.StreamableHTTP{URL: url})
	})
	t.Run("sse", func(t *testing.T) {
		url := npmservers.StartHTTP(t, npmservers.SSE)
		leak.Check(t)
		test(t, config.SSE{URL: url})
	})
}

// TestEverythingThatAServerCanTrigger: a server that others wrote reaches
// every callback. What is not here is in TestEverythingOverHTTP.
func TestEverythingThatAServerCanTrigger(t *testing.T) {
	const dynamic = "demo://resource/dynamic/text/1"
	onEachEverything(t, func(t *testing.T, connection config.Connection) {
		var j journal
		cb := callbacks.Callbacks{
			URLElicitation: true,
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				j.add("%v: %s %s", cc, req.Params.Mode, req.Params.URL)
				return &mcp.ElicitResult{Action: "accept", Meta: mcp.Meta{callbacks.Completed: true}}, nil
			},
			OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
				j.add("completed")
			},
			OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				j.add("%v: sampling, at most %d tokens", cc, req.Params.MaxTokens)
				return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "my-llm", StopReason: "endTurn", Content: []mcp.Content{
					&mcp.TextContent{Text: "The answer is 42."},
				}}, nil
			},
			OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				j.add("%s: roots", cc.ServerName)
				return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: "file:///home/ada/notebooks", Name: "notebooks"}}}, nil
			},
			OnToolsListChanged: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ToolListChangedParams) {
				j.add("%v: tools changed", cc)
			},
			OnResourcesListChanged: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ResourceListChangedParams) {
				j.add("%s: resources changed", cc.ServerName)
			},
			OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ResourceUpdatedNotificationParams) {
				j.add("%s: %s updated", cc.ServerName, p.URI)
			},
		}
		c := newClient(t, config.Connections{"everything": connection}, &multiclient.Options{Callbacks: cb})
		came := func(line string) {
			t.Helper()
			eventually(t, func() bool {
				return slices.Contains(j.list(), line)
			})
		}
		// It registers what depends on the client's capabilities when it has been
		// told them, and asks for roots by itself: of nobody's accord.
		eventually(t, func() bool {
			_, err := c.Tool(t.Context(), "trigger-url-elicitation")
			return err == nil
		})
		came("everything: tools changed")
		came("everything: roots")
		if got := call(t, c, "everything", "get-roots-list", nil); !strings.Contains(got, "file:///home/ada/notebooks") {
			t.Errorf("the roots are %q", got)
		}

		if got := call(t, c, "everything", "trigger-sampling-request", map[string]any{"prompt": "why?", "maxTokens": 7}); !strings.Contains(got, "The answer is 42.") {
			t.Errorf("the sampling returned %q", got)
		}
		came("everything/trigger-sampling-request: sampling, at most 7 tokens")

		asked := map[string]any{"url": "https://visit.example/now", "message": "please", "elicitationId": "one"}
		if got := call(t, c, "everything", "trigger-url-elicitation", asked); !strings.Contains(got, "accept") && !strings.Contains(got, "completed") {
			t.Errorf("the elicitation returned %q", got)
		}
		came("everything/trigger-url-elicitation: url https://visit.example/now")

		// With the error -32042, once; the call is then made again.
		asked = map[string]any{"url": "https://visit.example/first", "message": "please", "elicitationId": "two", "errorPath": true}
		call(t, c, "everything", "trigger-url-elicitation", asked)
		came("everything/trigger-url-elicitation: url https://visit.example/first")

		if err := c.Subscribe(t.Context(), "everything", dynamic); err != nil {
			t.Fatal(err)
		}
		call(t, c, "everything", "toggle-subscriber-updates", nil)
		came("everything: " + dynamic + " updated")
		call(t, c, "everything", "toggle-subscriber-updates", nil)
		if err := c.Unsubscribe(t.Context(), "everything", dynamic); err != nil {
			t.Error(err)
		}

		call(t, c, "everything", "gzip-file-as-resource", map[string]any{"name": "hello.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"})
		came("everything: resources changed")

		c.RootsChanged()
		eventually(t, func() bool {
			n := 0
			for _, l := range j.list() {
				if l == "everything: roots" {
					n++
				}
			}
			return n >= 2 // it asks again
		})
	})
}

func TestEverythingWithoutURLs(t *testing.T) {
	var asked journal
	c := newClient(t, config.Connections{"everything": node(t, npmservers.Everything, "stdio")}, &multiclient.Options{Callbacks: callbacks.Callbacks{
		URLElicitation: true,
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.add("%v", cc)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}})
	eventually(t, func() bool {
		_, err := c.Tool(t.Context(), "trigger-url-elicitation")
		return err == nil
	})
	_, err := c.CallTool(t.Context(), "everything", "trigger-url-elicitation",
		map[string]any{"url": "https://visit.example/", "message": "please", "elicitationId": "x", "errorPath": true})
	var required *jsonrpc.Error
	if !errors.As(err, &required) || required.Code != mcp.CodeURLElicitationRequired {
		t.Errorf("declining gave %v", err)
	}
	if diff := cmp.Diff([]string{"everything/trigger-url-elicitation"}, asked.list()); diff != "" {
		t.Errorf("asked by (-want +got):\n%s", diff)
	}
}
