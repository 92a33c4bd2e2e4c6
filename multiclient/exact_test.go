package multiclient_test

import (
	"encoding/json"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Integers of any size come through as they were written.
func TestBigIntegersAreExact(t *testing.T) {
	s := testserver.Script{"big": `{"content":[],"structuredContent":{"id":12345678901234567890,"small":7}}`}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{})
		res, err := c.CallTool(t.Context(), "s", "big", map[string]any{"n": json.Number("12345678901234567891")})
		if err != nil {
			t.Fatal(err)
		}
		if got := adapters.ResultText(res, nil); got != `{"id":12345678901234567890,"small":7}` || res.Meta != nil {
			t.Errorf("got %s, _meta %v", got, res.Meta)
		}
	})
}
