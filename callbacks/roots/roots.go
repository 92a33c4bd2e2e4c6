package roots

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Roots is a list of directories (or files) that servers are told of. Create
// it with [New]. All methods are safe for concurrent use.
//
// A relative path is taken from the directory that the process is in at that
// moment. Paths are cleaned and otherwise taken as they are: they need not
// exist, since that can change at any time, and links are not followed. A path
// that is there already is not added again.
type Roots struct {
	mu          sync.Mutex
	list        []root
	subscribers []*func()
}

type root struct{ uri, name string }

// New returns a list of the directories, in this order. Without any it is an
// empty list, which tells servers that there is nothing for them to work on.
func New(dirs ...string) (*Roots, error) {
	list, err := rootsOf(dirs)
	if err != nil {
		return nil, err
	}
	return &Roots{list: list}, nil
}

// List is a function for callbacks.Callbacks.OnListRoots. It returns file: URIs
// of absolute paths, each with the last element of the path as its name.
func (r *Roots) List(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := &mcp.ListRootsResult{Roots: make([]*mcp.Root, len(r.list))} // never null
	for i, root := range r.list {
		result.Roots[i] = &mcp.Root{URI: root.uri, Name: root.name}
	}
	return result, nil
}

// Set makes the list consist of these directories. On an error it stays what
// it was.
func (r *Roots) Set(dirs ...string) error {
	list, err := rootsOf(dirs)
	if err != nil {
		return err
	}
	r.change(func([]root) []root { return list })
	return nil
}

// Add appends directories to the list. On an error none is added.
func (r *Roots) Add(dirs ...string) error {
	more, err := rootsOf(dirs)
	if err != nil {
		return err
	}
	r.change(func(list []root) []root {
		for _, root := range more {
			list = appendNew(list, root)
		}
		return list
	})
	return nil
}

// Remove takes directories off the list; those that are not on it are none of
// its business. On an error none is removed.
func (r *Roots) Remove(dirs ...string) error {
	fewer, err := rootsOf(dirs)
	if err != nil {
		return err
	}
	r.change(func(list []root) []root {
		return slices.DeleteFunc(list, func(root root) bool { return slices.Contains(fewer, root) })
	})
	return nil
}

// Subscribe has f called after each change of the list, by the method that
// made it, which returns when f has; f may use the list. What does not change
// the list is no change. Cancel ends the subscription: changes made after it
// has returned are not told.
func (r *Roots) Subscribe(f func()) (cancel func()) {
	subscriber := &f
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribers = append(r.subscribers, subscriber)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.subscribers = slices.DeleteFunc(r.subscribers, func(s *func()) bool { return s == subscriber })
	}
}

// change replaces the list by what edit makes of a copy of it.
func (r *Roots) change(edit func(list []root) []root) {
	r.mu.Lock()
	list := edit(slices.Clone(r.list))
	var tell []*func()
	if !slices.Equal(list, r.list) {
		r.list = list
		tell = slices.Clone(r.subscribers)
	}
	r.mu.Unlock()
	for _, f := range tell {
		(*f)()
	}
}

// rootsOf returns the roots that directories are.
func rootsOf(dirs []string) ([]root, error) {
	var list []root
	for _, dir := range dirs {
		if dir == "" {
			return nil, fmt.Errorf("roots: a directory is the empty string: use %q for the current one", ".")
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("roots: directory %q: %w", dir, err)
		}
		root, err := rootOf(abs, runtime.GOOS == "windows")
		if err != nil {
			return nil, fmt.Errorf("roots: directory %q: %w", dir, err)
		}
		list = appendNew(list, root)
	}
	return list, nil
}

func appendNew(list []root, r root) []root {
	if slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}
