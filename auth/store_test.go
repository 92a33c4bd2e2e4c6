package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
)

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestStoredSignInsAreUsed(t *testing.T) {
	as, r := protected(t, true)
	store := auth.NewMemory()
	var p person
	for _, identity := range []string{"alice", "alice", "bob"} {
		h := newUser(t, auth.UserOptions{Options: auth.Options{Store: store, Identity: identity}, Receiver: p.receiver()})
		if err := echo(t.Context(), newClient(t, r, h)); err != nil {
			t.Fatal(err)
		}
	}
	wantCount(t, "authorizations of two users", int(p.asked.Load()), 2)
	wantCount(t, "refreshes", refreshes(as), 0)
}

// Handlers that share a file stand for processes: of those whose token has
// expired one refreshes, and the others take what it got.
func TestConcurrentProcessesRefreshOnce(t *testing.T) {
	as, r := protected(t, true)
	path := filepath.Join(t.TempDir(), "tokens.json")
	var p person
	handlers := make([]*auth.Handler, 4)
	for i := range handlers {
		handlers[i] = newUser(t, auth.UserOptions{Options: auth.Options{Store: filestore.New(path)}, Receiver: p.receiver()})
		if err := handlers[i].SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
	}
	wantCount(t, "authorizations", int(p.asked.Load()), 1)
	expired := token(t, handlers[0])
	as.Expire()
	noErrors(t, together(func(i int) error { return refused(t, handlers[i%len(handlers)], r, expired) }))
	wantCount(t, "refreshes", refreshes(as), 1)
	wantCount(t, "authorizations in the end", int(p.asked.Load()), 1)
	for _, h := range handlers {
		if token(t, h) != token(t, handlers[0]) {
			t.Error("two processes have different tokens")
		}
	}
}

// faulty is a store that fails.
type faulty struct{ load, save error }

func (f faulty) Load(context.Context, auth.Key) (*auth.Record, error) { return nil, f.load }
func (f faulty) Save(context.Context, auth.Key, *auth.Record) error   { return f.save }
func (f faulty) Delete(context.Context, auth.Key) error               { return f.save }

func TestFaultyStores(t *testing.T) {
	_, r := protected(t, true)
	var p person
	broken := errors.New("broken")
	h := newUser(t, auth.UserOptions{Options: auth.Options{Store: faulty{load: broken}}, Receiver: p.receiver()})
	wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrStore)
	wantCount(t, "authorizations that cannot be kept", int(p.asked.Load()), 0)

	// A token that cannot be stored is used all the same.
	h = newUser(t, auth.UserOptions{Options: auth.Options{Store: faulty{save: broken}}, Receiver: p.receiver()})
	if err := echo(t.Context(), newClient(t, r, h)); err != nil {
		t.Error(err)
	}
	wantError(t, h.SignOut(t.Context(), r.URL), auth.ErrStore)
}

// unwritable is a store that keeps nothing and gives no locks, as one in a folder
// in which nothing can be written.
type unwritable struct{ faulty }

func (u unwritable) Lock(context.Context, auth.Key) (func(), error) { return nil, u.save }

// What could not be stored is no other program's, and needs no lock to be
// refreshed.
func TestTokensThatCannotBeStoredAreRefreshed(t *testing.T) {
	as, r := protected(t, true)
	var p person
	h := newUser(t, auth.UserOptions{
		Options:  auth.Options{Store: unwritable{faulty{save: errors.New("read-only")}}},
		Receiver: p.receiver(),
	})
	c := newClient(t, r, h)
	if err := echo(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	as.Expire()
	if err := echo(t.Context(), c); err != nil {
		t.Error(err)
	}
	wantCount(t, "refreshes", refreshes(as), 1)
	wantCount(t, "authorizations", int(p.asked.Load()), 1)
}
