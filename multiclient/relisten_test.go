package multiclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What a server no longer announces is asked for again: subscriptions to
// resources and changes of lists.
func TestChangesOutliveTheirStreams(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.version != stateless {
			return
		}
		leak.Check(t)
		uris, cb := updates(t)
		lists := make(chan struct{}, 1024)
		cb.OnPromptsListChanged = func(context.Context, callbacks.CallbackContext, *mcp.PromptListChangedParams) { lists <- struct{}{} }
		c := newClient(t, config.Connections{"one": w.connect(t, newServer(t), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if err := c.Subscribe(t.Context(), "one", readme); err != nil {
			t.Fatal(err)
		}
		announced(t, c, uris)
		for range 2 {
			call(t, c, "one", "announce", map[string]any{"what": "no more"})
			for len(uris)+len(lists) > 0 {
				select {
				case <-uris:
				case <-lists:
				}
			}
			announced(t, c, uris)
			eventually(t, func() bool {
				call(t, c, "one", "announce", map[string]any{"what": "prompts"})
				select {
				case <-lists:
					return true
				case <-time.After(200 * time.Millisecond): // servers of the SDK wait until there were no changes for 10 ms
					return false
				}
			})
		}
		if err := c.Unsubscribe(t.Context(), "one", readme); err != nil {
			t.Fatal(err)
		}
		notAnnounced(t, c, uris)
		if st := c.Status()[0]; st.Generation != 1 {
			t.Errorf("generation %d", st.Generation)
		}
	})
}
