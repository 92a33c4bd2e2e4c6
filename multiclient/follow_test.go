package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/config/watch"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An edit is an update, by hand.
type edit struct {
	connections config.Connections
	err         error
}

// edits yields what is sent.
func edits(ch <-chan edit) func(context.Context) iter.Seq2[config.Connections, error] {
	return func(ctx context.Context) iter.Seq2[config.Connections, error] {
		return func(yield func(config.Connections, error) bool) {
			for {
				select {
				case <-ctx.Done():
					return
				case e, ok := <-ch:
					if !ok || !yield(e.connections, e.err) {
						return
					}
				}
			}
		}
	}
}

func TestFollow(t *testing.T) {
	leak.Check(t)
	memory := func(name string) config.Connection { return config.InMemory{Server: testserver.New(name).Server} }
	kept, own := memory("kept"), memory("own")
	c := newClient(t, config.Connections{"own": own, "gone": memory("gone")}, nil)
	type report struct {
		changes *multiclient.Changes
		err     error
	}
	reports := make(chan report, 1)
	updates := make(chan edit)
	done := make(chan error)
	go func() {
		done <- c.Follow(t.Context(), edits(updates), &multiclient.FollowOptions{
			Prepare: func(connections config.Connections) (config.Connections, error) {
				if connections["bad"] != nil {
					return nil, errors.New("not that one")
				}
				connections["own"] = own
				return connections, nil
			},
			Changed: func(changes *multiclient.Changes, err error) { reports <- report{changes, err} },
		})
	}()
	want := func(changes *multiclient.Changes, problem string) {
		t.Helper()
		got := <-reports
		if d := cmp.Diff(changes, got.changes); d != "" {
			t.Errorf("changes (-want +got):\n%s", d)
		}
		if (got.err != nil) != (problem != "") || got.err != nil && !strings.Contains(got.err.Error(), problem) {
			t.Errorf("error %v, want %q", got.err, problem)
		}
	}
	updates <- edit{connections: config.Connections{"kept": kept}}
	want(&multiclient.Changes{Added: []string{"kept"}, Removed: []string{"gone"}}, "")
	before, release, err := c.Session(t.Context(), "kept")
	if err != nil {
		t.Fatal(err)
	}
	release()
	updates <- edit{err: errors.New("a comma too many")}
	want(nil, "a comma too many")
	updates <- edit{connections: config.Connections{"bad": kept}}
	want(nil, "not that one")
	updates <- edit{connections: config.Connections{"kept": config.Stdio{}}}
	want(nil, "command: is required")
	updates <- edit{connections: config.Connections{"kept": kept}} // nothing to tell
	updates <- edit{connections: config.Connections{"kept": kept, "new": memory("new")}}
	want(&multiclient.Changes{Added: []string{"new"}}, "")
	after, release, err := c.Session(t.Context(), "kept")
	if err != nil {
		t.Fatal(err)
	}
	release()
	if before != after {
		t.Error("the session of a server that stays the same was replaced")
	}
	updates <- edit{}
	want(&multiclient.Changes{Removed: []string{"kept", "new"}}, "")
	close(updates)
	if err := <-done; err != nil {
		t.Errorf("after the last update: %v", err)
	}
}

// Without Changed the logger is told.
func TestFollowTellsTheLogger(t *testing.T) {
	leak.Check(t)
	var log account
	c := newClient(t, nil, &multiclient.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	updates := make(chan edit, 3)
	updates <- edit{connections: config.Connections{"new": config.InMemory{Server: testserver.New("new").Server}}}
	updates <- edit{err: errors.New("a comma too many")}
	updates <- edit{connections: config.Connections{}}
	close(updates)
	if err := c.Follow(t.Context(), edits(updates), nil); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`level=INFO msg="the connections have changed" added=[new] removed=[] replaced=[]`,
		`level=WARN msg="an update of the connections has a fault" error="a comma too many"`,
		`level=INFO msg="the connections have changed" added=[] removed=[new] replaced=[]`,
	} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("the log does not say %s once:\n%s", want, log.String())
		}
	}
}

func TestFollowEnds(t *testing.T) {
	leak.Check(t)
	t.Run("with the context", func(t *testing.T) {
		c := newClient(t, nil, nil)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := c.Follow(ctx, edits(nil), nil); err != cause {
			t.Errorf("error %v, want its cause", err)
		}
	})
	t.Run("with the client", func(t *testing.T) {
		c := newClient(t, nil, nil)
		updates := make(chan edit)
		done := make(chan error)
		go func() { done <- c.Follow(t.Context(), edits(updates), nil) }()
		updates <- edit{connections: config.Connections{}}
		c.Close()
		if err := <-done; err != nil {
			t.Errorf("error %v", err)
		}
		if err := c.Follow(t.Context(), edits(nil), nil); err != nil {
			t.Errorf("error %v of a client that is closed", err)
		}
	})
	t.Run("before it begins, without updates", func(t *testing.T) {
		c := newClient(t, nil, nil)
		none := func(context.Context) iter.Seq2[config.Connections, error] { return nil }
		for _, updates := range []func(context.Context) iter.Seq2[config.Connections, error]{nil, none} {
			err := c.Follow(t.Context(), updates, nil)
			if !errors.Is(err, multiclient.ErrFailed) || !strings.Contains(err.Error(), "configure: failed: there are no updates to follow: they are nil") {
				t.Errorf("error %v", err)
			}
		}
	})
	t.Run("with an update after the client", func(t *testing.T) {
		c := newClient(t, nil, nil)
		err := c.Follow(t.Context(), func(context.Context) iter.Seq2[config.Connections, error] {
			return func(yield func(config.Connections, error) bool) {
				c.Close()
				for yield(config.Connections{}, nil) {
				}
			}
		}, nil)
		if err != nil {
			t.Errorf("error %v", err)
		}
	})
}

// TestFollowFile: the tools of a running client are those of the file.
func TestFollowFile(t *testing.T) {
	leak.Check(t)
	path := filepath.Join(t.TempDir(), "mcp.json")
	url := testserver.New("one").HTTP(t, false)
	write := func(tool string) {
		t.Helper()
		text := fmt.Sprintf(`{"mcpServers": {"one": {"url": %q, "includeTools": [%q]}}}`, url, tool)
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t, nil, nil)
	changed := make(chan *multiclient.Changes, 1)
	watcher := watch.New(&watch.Options{Delay: 10 * time.Millisecond}, config.Files(path)...)
	done := make(chan error)
	write("echo")
	go func() {
		done <- c.Follow(t.Context(), watcher.Connections, &multiclient.FollowOptions{
			Changed: func(changes *multiclient.Changes, err error) {
				if err != nil {
					t.Error(err)
				}
				changed <- changes
			},
		})
	}()
	for _, want := range []string{"echo", "count"} {
		<-changed
		tools, err := c.Tools(t.Context())
		if err != nil || len(tools) != 1 || tools[0].Name() != want {
			t.Fatalf("tools %v, error %v, want %s", tools, err, want)
		}
		if want == "echo" {
			write("count")
		}
	}
	c.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
