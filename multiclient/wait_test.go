package multiclient_test

import (
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// eventually waits for something that only the passing of time can bring
// about, such as a notification on its way.
func eventually(t testing.TB, condition func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not come about within 30 s")
		}
	}
}

// receive returns the next value of a channel.
func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("no %s within 30 s", what)
		panic("unreachable")
	}
}

// lose breaks the session with the only server, and waits until that is known. It
// may have been replaced then.
func lose(t testing.TB, c *multiclient.MultiServerClient, breakIt func()) {
	t.Helper()
	before := c.Status()[0].Generation
	breakIt()
	eventually(t, func() bool {
		st := c.Status()[0]
		return st.State != multiclient.StateReady || st.Generation > before
	})
}
