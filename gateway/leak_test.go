package gateway_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// What clients and the gateway leave behind ends with them, calls that wait for
// an answer included.
func TestNothingIsLeft(t *testing.T) {
	leak.Check(t)
	onEachWire(t, func(t *testing.T, w wire) {
		connections, servers := upstream()
		h := newHouse(t, w, connections, nil)
		g := h.enter(t, "alice")
		if text := g.call(t.Context(), "old_ask_0", "alice", map[string]any{"id": "alice"}); text == "" {
			t.Error("no answer")
		}
		go func() {
			_, _ = g.CallTool(t.Context(), &mcp.CallToolParams{Name: "new_block", Arguments: map[string]any{}})
		}()
		<-servers["new"].Blocked
	})
}
