package multiclient_test

import (
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestSubscriptionsHoldWhenSubscribeReturns(t *testing.T) {
	s := testserver.New("one")
	let := make(chan struct{})
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": lateConnection(t, s, "subscriptions/listen", let)}, &multiclient.Options{Callbacks: cb})
	time.AfterFunc(200*time.Millisecond, func() { close(let) })
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	call(t, c, "one", "announce", map[string]any{"what": readme})
	receive(t, uris, "update")
}
