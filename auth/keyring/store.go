package keyring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/zalando/go-keyring"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// A Store keeps tokens in the keyring. It is safe for concurrent use. The
// keyring may ask the user to unlock it; a context that ends does not end that.
//
// Windows takes at most 2560 bytes, macOS about 3000, so that a sign-in with
// very long tokens is not kept there, which is an error of Save.
type Store struct {
	service string
	mu      sync.Mutex
}

var _ auth.Store = (*Store)(nil)

// New returns a store for the program of a name, which the user sees in the
// keyring.
func New(service string) *Store { return &Store{service: service} }

// Load implements [auth.Store].
func (s *Store) Load(_ context.Context, key auth.Key) (*auth.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := keyring.Get(s.service, name(key))
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return auth.DecodeRecord([]byte(data))
}

// Save implements [auth.Store].
func (s *Store) Save(_ context.Context, key auth.Key, record *auth.Record) error {
	data, err := record.Encode()
	if err != nil {
		return errors.New("keyring: the record cannot be encoded")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := keyring.Set(s.service, name(key), string(data)); err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// Delete implements [auth.Store].
func (s *Store) Delete(_ context.Context, key auth.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := keyring.Delete(s.service, name(key)); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// name is what an entry is called: short, since keyrings have limits, and with
// the server in front for the user to recognise.
func name(key auth.Key) string {
	data, _ := json.Marshal(key) // strings only
	sum := sha256.Sum256(data)
	resource := key.Resource
	if len(resource) > 80 {
		resource = resource[:80]
	}
	return resource + " " + hex.EncodeToString(sum[:8])
}
