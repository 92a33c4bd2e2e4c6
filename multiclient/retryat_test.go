package multiclient_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Interceptor retry waits for a server that is left alone, if it has the time.
func TestRetryOfAServerThatIsLeftAlone(t *testing.T) {
	const coolDown = 20 * time.Second
	for name, test := range map[string]struct {
		maxWait  time.Duration
		attempts int
	}{"with the time": {time.Minute, 2}, "without": {time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, attempts := testserver.New("one"), 0
				always := func(*interceptors.Request, *mcp.CallToolResult, error) bool { return true }
				c, err := multiclient.New(config.Connections{"one": config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
					if attempts++; attempts == 1 {
						return nil, errors.New("not yet")
					}
					ours, theirs := mcp.NewInMemoryTransports()
					_, err := s.Connect(ctx, theirs, nil)
					return ours, err
				}}}, &multiclient.Options{
					Reconnect:    multiclient.Reconnect{Attempts: 1, CoolDown: coolDown},
					Interceptors: []interceptors.Interceptor{retry.New(&retry.Options{Attempts: 3, MaxWait: test.maxWait, Retryable: always})},
				})
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				_, err = c.CallTool(t.Context(), "one", "count", nil)
				took := time.Since(begun)
				switch e := (*multiclient.Error)(nil); {
				case test.attempts == 1 && (!errors.As(err, &e) || e.RetryAt.IsZero() || took > 2*time.Second):
					t.Errorf("%v after %v", err, took)
				case test.attempts == 2 && (err != nil || took < coolDown || took > coolDown+time.Second):
					t.Errorf("%v after %v", err, took)
				}
				if attempts != test.attempts {
					t.Errorf("it was tried %d times", attempts)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
