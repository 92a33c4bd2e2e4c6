package roots_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/roots"
)

func names(t *testing.T, r *roots.Roots) []string {
	t.Helper()
	cb := callbacks.Callbacks{OnListRoots: r.List}
	res, err := cb.OnListRoots(t.Context(), callbacks.CallbackContext{}, nil)
	if err != nil || res.Roots == nil {
		t.Fatalf("got %v, %v", res, err)
	}
	var list []string
	for _, root := range res.Roots {
		list = append(list, root.Name)
	}
	return list
}

func TestNewIsAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	r, err := roots.New(".", "not there/../a b", filepath.Join(dir, "a b"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.List(t.Context(), callbacks.CallbackContext{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Roots) != 2 {
		t.Fatalf("got %d roots", len(res.Roots))
	}
	for i, want := range []string{dir, filepath.Join(dir, "a b")} {
		u, err := url.Parse(res.Roots[i].URI)
		if err != nil || u.Scheme != "file" || filepath.FromSlash(u.Path) != want && filepath.FromSlash(u.Path[1:]) != want {
			t.Errorf("got %s, %v, want %s", res.Roots[i].URI, err, want)
		}
		if res.Roots[i].Name != filepath.Base(want) {
			t.Errorf("name %q", res.Roots[i].Name)
		}
	}
	// What a caller does to the answer is its own business.
	res.Roots[0].Name, res.Roots[1] = "spoiled", nil
	if diff := cmp.Diff([]string{filepath.Base(dir), "a b"}, names(t, r)); diff != "" {
		t.Error(diff)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	r, err := roots.New()
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, r); got != nil {
		t.Fatalf("got %v", got)
	}
	var told [][]string
	cancel := r.Subscribe(func() { told = append(told, names(t, r)) }) // the list may be used
	other := 0
	cancelOther := r.Subscribe(func() { other++ })
	type step struct {
		change  func(dirs ...string) error
		dirs    []string
		want    []string
		changed bool
	}
	for i, s := range []step{
		{r.Add, []string{"a", "b"}, []string{"a", "b"}, true},
		{r.Add, []string{"b", "./a"}, []string{"a", "b"}, false},
		{r.Add, []string{"c", "c"}, []string{"a", "b", "c"}, true},
		{r.Remove, []string{"x"}, []string{"a", "b", "c"}, false},
		{r.Remove, []string{"b", "x"}, []string{"a", "c"}, true},
		{r.Set, []string{"a", "c"}, []string{"a", "c"}, false},
		{r.Set, []string{"c", "a"}, []string{"c", "a"}, true},
		{r.Add, nil, []string{"c", "a"}, false},
		{r.Set, nil, nil, true},
	} {
		told, other = nil, 0
		if err := s.change(s.dirs...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.want, names(t, r)); diff != "" {
			t.Errorf("step %d (-want +got)\n%s", i, diff)
		}
		var want [][]string
		if s.changed {
			want = [][]string{s.want}
		}
		if diff := cmp.Diff(want, told); diff != "" || other != len(want) {
			t.Errorf("step %d told (-want +got)\n%s, the other %d times", i, diff, other)
		}
	}
	cancel()
	cancel()
	told, other = nil, 0
	if err := r.Set("z"); err != nil {
		t.Fatal(err)
	}
	if told != nil || other != 1 {
		t.Errorf("after the end: told %v and the other %d times", told, other)
	}
	cancelOther()
}

func TestErrorsChangeNothing(t *testing.T) {
	t.Parallel()
	if r, err := roots.New("a", ""); r != nil || err == nil || !strings.Contains(err.Error(), `use "."`) {
		t.Errorf("got %v, %v", r, err)
	}
	r, err := roots.New("a")
	if err != nil {
		t.Fatal(err)
	}
	r.Subscribe(func() { t.Error("told of a change") })
	for name, change := range map[string]func(...string) error{"set": r.Set, "add": r.Add, "remove": r.Remove} {
		for _, bad := range []string{"", "b\x00c"} {
			err := change("a", "x", bad)
			if err == nil || !strings.HasPrefix(err.Error(), "roots: ") || bad != "" && !strings.Contains(err.Error(), fmt.Sprintf("%q", bad)) {
				t.Errorf("%s %q: %v", name, bad, err)
			}
		}
	}
	if diff := cmp.Diff([]string{"a"}, names(t, r)); diff != "" {
		t.Error(diff)
	}
}

// The process may be in a directory that is gone.
func TestNoCurrentDirectory(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		return // such a system does not let it happen
	}
	t.Setenv("PWD", "")
	if _, err := roots.New("sub"); err == nil || !strings.HasPrefix(err.Error(), `roots: directory "sub": `) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	r, err := roots.New("common")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			dir := fmt.Sprintf("d%d", i)
			told := make(chan struct{}, 100)
			cancel := r.Subscribe(func() { told <- struct{}{} })
			defer cancel()
			if err := r.Add(dir); err != nil {
				t.Error(err)
			}
			<-told // of its own change at least
			if _, err := r.List(t.Context(), callbacks.CallbackContext{}, nil); err != nil {
				t.Error(err)
			}
			if err := r.Remove(dir, "nothing"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff([]string{"common"}, names(t, r)); diff != "" {
		t.Error(diff)
	}
}
