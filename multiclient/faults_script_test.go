package multiclient_test

import (
	"context"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// onEachScript runs a test for each way in which a script can be served, with
// a limit for the size of messages, where one can be set, or 0.
func onEachScript(t *testing.T, s testserver.Script, limit int, test func(t *testing.T, connection config.Connection)) {
	stdio := s.Stdio(t)
	stdio.MaxMessageSize = limit
	whole, stream, sse := s.HTTP(t, false), s.HTTP(t, true), s.SSE(t)
	whole.MaxMessageSize, stream.MaxMessageSize, sse.MaxMessageSize = limit, limit, limit
	t.Run("stdio", func(t *testing.T) { test(t, stdio) })
	t.Run("http/whole", func(t *testing.T) { test(t, whole) })
	t.Run("http/stream", func(t *testing.T) { test(t, stream) })
	t.Run("sse", func(t *testing.T) { test(t, sse) })
	if limit == 0 {
		t.Run("pipe", func(t *testing.T) { test(t, s.Pipe()) })
	}
}

// faults collects the errors of transports that the callbacks are told.
type faults struct {
	mu   sync.Mutex
	errs []error
}

func (f *faults) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{OnMessage: func(_ context.Context, _ callbacks.CallbackContext, m callbacks.Message) {
		if m.Err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.errs = append(f.errs, m.Err)
		}
	}}
}

// told returns the messages of the errors so far.
func (f *faults) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var told []string
	for _, err := range f.errs {
		told = append(told, err.Error())
	}
	return told
}
