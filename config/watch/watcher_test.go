package watch_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/config/watch"
)

// A reading is what came of one.
type reading struct {
	update *watch.Update
	err    error
}

// follow watches files and returns what reads the next update. It fails the
// test if none comes for a long time.
func follow(t *testing.T, opts *watch.Options, paths ...string) func() reading {
	t.Helper()
	if opts == nil {
		opts = &watch.Options{}
	}
	opts.Delay = 10 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	next, stop := iter.Pull2(watch.New(opts, config.Files(paths...)...).Updates(ctx))
	t.Cleanup(func() { cancel(); stop() })
	return func() reading {
		t.Helper()
		update, err, ok := next()
		if !ok {
			t.Fatal("no update came")
		}
		return reading{update, err}
	}
}

// replace puts a file in the place of another at once, as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func servers(commands ...string) string {
	var entries []string
	for _, c := range commands {
		name, command, _ := strings.Cut(c, "=")
		entries = append(entries, fmt.Sprintf(`%q: {"command": %q}`, name, command))
	}
	return `{"mcpServers": {` + strings.Join(entries, ", ") + `}}`
}

func (r reading) want(t *testing.T, generation int, want watch.Changes) {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	if d := cmp.Diff(want, r.update.Changes); d != "" || r.update.Generation != generation {
		t.Fatalf("generation %d, want %d; changes (-want +got):\n%s", r.update.Generation, generation, d)
	}
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	replace(t, path, servers("a=x", "b=x"))
	next := follow(t, nil, path)
	next().want(t, 1, watch.Changes{Added: []string{"a", "b"}})

	replace(t, path, servers("a=x", "b=y", "c=x"))
	next().want(t, 2, watch.Changes{Added: []string{"c"}, Changed: []string{"b"}})

	replace(t, path, "{")
	if r := next(); r.err == nil || !strings.Contains(r.err.Error(), "mcp.json:1:2: ends before it is complete") {
		t.Fatalf("of an invalid edit came %v", r)
	}
	replace(t, path, " "+servers("a=x", "b=y", "c=x")) // as it was before
	next().want(t, 3, watch.Changes{})

	// What changes nothing is no update, and its own files are not looked at.
	replace(t, path, "// comment\n"+servers("a=x", "b=y", "c=x"))
	replace(t, filepath.Join(filepath.Dir(path), "other.json"), "{")
	replace(t, path, servers())
	next().want(t, 4, watch.Changes{Removed: []string{"a", "b", "c"}})

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if r := next(); r.err == nil || !strings.Contains(r.err.Error(), "cannot be read") {
		t.Fatalf("of a file that is gone came %v", r)
	}
	replace(t, path, servers("d=x"))
	next().want(t, 5, watch.Changes{Added: []string{"d"}})
}

func TestUpdatesOfAFileThatIsWrittenInPlace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	replace(t, path, servers("a=x"))
	next := follow(t, nil, path)
	next().want(t, 1, watch.Changes{Added: []string{"a"}})
	if err := os.WriteFile(path, []byte(servers("a=y")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := next()
	for r.err != nil { // It may be read before it is whole.
		r = next()
	}
	r.want(t, 2, watch.Changes{Changed: []string{"a"}})
}

// TestUpdatesOfKubernetes: a volume of a config map is switched by one rename
// of a link, in a folder that does not hold the file itself.
func TestUpdatesOfKubernetes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	volume := filepath.Join(dir, "volume")
	release := func(name, text string) {
		t.Helper()
		folder := filepath.Join(volume, ".."+name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(volume, "..data_tmp")
		if err := os.Symlink(".."+name, link); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link, filepath.Join(volume, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	release("one", servers("a=x"))
	for link, target := range map[string]string{"volume/mcp.json": "..data/mcp.json", "etc": "volume"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	next := follow(t, nil, filepath.Join(dir, "etc", "mcp.json"))
	next().want(t, 1, watch.Changes{Added: []string{"a"}})
	release("two", servers("b=x"))
	next().want(t, 2, watch.Changes{Added: []string{"b"}, Removed: []string{"a"}})
	if err := os.RemoveAll(filepath.Join(volume, "..one")); err != nil {
		t.Fatal(err)
	}
	release("three", servers("c=x"))
	next().want(t, 3, watch.Changes{Added: []string{"c"}, Removed: []string{"b"}})
}

func TestUpdatesOfWhatIsNotThereYet(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "project", ".vscode")
	path := filepath.Join(folder, "mcp.json")
	next := follow(t, nil, path)
	if r := next(); r.err == nil {
		t.Fatalf("of nothing came %v", r.update)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	replace(t, path, servers("a=x"))
	next().want(t, 1, watch.Changes{Added: []string{"a"}})
	// The whole folder is exchanged.
	if err := os.Rename(folder, folder+".old"); err != nil {
		t.Fatal(err)
	}
	if r := next(); r.err == nil {
		t.Fatalf("of a folder that is gone came %v", r.update)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	replace(t, path, servers("b=x"))
	next().want(t, 2, watch.Changes{Added: []string{"b"}, Removed: []string{"a"}})
}

func TestUpdatesFollowEnvFilesAndAskOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, env := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "sub", "env")
	if err := os.Mkdir(filepath.Dir(env), 0o700); err != nil {
		t.Fatal(err)
	}
	text := func(description string) string {
		return `{"inputs": [{"type": "promptString", "id": "k", "description": "` + description + `"}],
			"servers": {"a": {"command": "x", "args": ["${input:k}"], "envFile": "sub/env"}}}`
	}
	replace(t, env, "A=1")
	replace(t, path, text("one"))
	asked := 0
	next := follow(t, &watch.Options{Parse: &config.ParseOptions{Input: func(context.Context, config.Input) (string, error) {
		asked++
		return fmt.Sprint("answer ", asked), nil
	}}}, path)
	stdio := func(r reading) config.Stdio { return r.update.Result.Connections["a"].(config.Stdio) }

	r := next()
	r.want(t, 1, watch.Changes{Added: []string{"a"}})
	replace(t, env, "A=2")
	r = next()
	r.want(t, 2, watch.Changes{Changed: []string{"a"}})
	if c := stdio(r); c.Env["A"] != "2" || c.Args[0] != "answer 1" || asked != 1 {
		t.Errorf("environment %v, arguments %v, asked %d times", c.Env, c.Args, asked)
	}
	replace(t, path, text("two"))
	r = next()
	r.want(t, 3, watch.Changes{Changed: []string{"a"}})
	if c := stdio(r); c.Args[0] != "answer 2" {
		t.Errorf("arguments %v after the question has changed", c.Args)
	}
}

func TestUpdatesEndWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := config.Source{Data: []byte(servers("a=x"))}
	n := 0
	for connections, err := range watch.New(nil, source).Connections(ctx) {
		if err != nil || len(connections) != 1 {
			t.Errorf("connections %v, error %v", connections, err)
		}
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d updates", n)
	}
	for range watch.New(nil, source).Connections(ctx) {
		t.Error("an update although the context has ended")
	}
}

func TestConnectionsYieldErrors(t *testing.T) {
	t.Parallel()
	for connections, err := range watch.New(nil, config.Source{Data: []byte("{")}).Connections(t.Context()) {
		if err == nil || connections != nil {
			t.Errorf("connections %v, error %v", connections, err)
		}
		return
	}
}
