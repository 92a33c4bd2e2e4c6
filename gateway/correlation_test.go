package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two clients call at the same time, and each call reports, logs and asks. All
// of it has to come back to its own client, progress with its own token.
func TestConcurrentClientsAreKeptApart(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, w wire) {
		t.Parallel()
		connections, _ := upstream()
		h := newHouse(t, w, connections, nil)
		var all sync.WaitGroup
		for _, name := range []string{"alice", "bob"} {
			all.Go(func() { crowd(t, h.enter(t, name), 8) })
		}
		all.Wait()
	})
}

// crowd makes n calls at once.
func crowd(t *testing.T, g *guest, n int) {
	const reports = 4
	servers := []string{"old", "new"}
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			server, tool := servers[i%2], fmt.Sprintf("work_%d", i/2%8)
			token := fmt.Sprintf("%s-%d", g.name, i)
			label := fmt.Sprintf("%s/%s %s", server, tool, token)
			// Both servers have the tool, which is why it has a prefix.
			text := g.call(t.Context(), server+"_"+tool, token, map[string]any{
				"id": token, "n": reports, "ask": []any{"form", "sampling", "roots"},
			})
			var answers map[string]string
			if err := json.Unmarshal([]byte(text), &answers); err != nil {
				t.Errorf("%s: %v in %q", token, err, text)
				return
			}
			want := map[string]string{"form": "accept: " + label, "sampling": label, "roots": "[" + g.name + "]"}
			if diff := cmp.Diff(want, answers); diff != "" {
				t.Errorf("%s: %s", token, diff)
			}
		})
	}
	calls.Wait()
	g.wait("every report", func() bool {
		count := 0
		for _, messages := range g.progress {
			count += len(messages)
		}
		return count >= n*reports && len(g.logs) >= n*reports
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range n {
		token := fmt.Sprintf("%s-%d", g.name, i)
		var want []string
		for j := range reports {
			want = append(want, fmt.Sprintf("%s/work_%d %s %d", servers[i%2], i/2%8, token, j+1))
		}
		if diff := cmp.Diff(want, g.progress[token]); diff != "" {
			t.Errorf("progress of %s: %s", token, diff)
		}
	}
	if len(g.progress) != n || len(g.logs) != n*reports {
		t.Errorf("%s has %d tokens and %d log messages, want %d and %d", g.name, len(g.progress), len(g.logs), n, n*reports)
	}
	for _, line := range g.logs {
		g.mine("a log message", line)
		if server, rest, _ := strings.Cut(line, " "); !strings.HasPrefix(rest, server+"/") {
			t.Errorf("the log message %q names another server", line)
		}
	}
}
