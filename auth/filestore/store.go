package filestore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// A Store is a file of tokens. Several stores, of several processes too, may
// use one file: each change is made under a lock, to what the file holds then,
// and replaces the file as a whole. It is safe for concurrent use.
type Store struct {
	path string
	mu   sync.Mutex // held while the file is read or replaced

	keys sync.Mutex
	held map[auth.Key]chan struct{} // holds one value while the key is locked
}

var (
	_ auth.Store  = (*Store)(nil)
	_ auth.Locker = (*Store)(nil)
)

// New returns a store that keeps tokens in the file at a path. The file and its
// folder are made when the first token is saved, for their owner alone. Next to
// it there are files for locks, whose names begin with that of the file.
//
// A file that others may read is refused, on systems that know of that.
func New(path string) *Store {
	return &Store{path: filepath.Clean(path), held: map[auth.Key]chan struct{}{}}
}

// maxSize bounds the file, in bytes.
const maxSize = 16 << 20

// file is what the file holds: records by the JSON of their key.
type file struct {
	Version int                        `json:"version"`
	Records map[string]json.RawMessage `json:"records"`
}

// Load implements [auth.Store].
func (s *Store) Load(_ context.Context, key auth.Key) (*auth.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	data, ok := f.Records[name(key)]
	if !ok {
		return nil, nil
	}
	record, err := auth.DecodeRecord(data)
	if err != nil {
		return nil, s.fail("a record cannot be read: remove the file to sign in anew", err)
	}
	return record, nil
}

// Save implements [auth.Store].
func (s *Store) Save(ctx context.Context, key auth.Key, record *auth.Record) error {
	data, err := record.Encode()
	if err != nil {
		return s.fail("the record cannot be encoded", nil)
	}
	return s.change(ctx, func(f *file) { f.Records[name(key)] = data })
}

// Delete implements [auth.Store].
func (s *Store) Delete(ctx context.Context, key auth.Key) error {
	return s.change(ctx, func(f *file) { delete(f.Records, name(key)) })
}

func name(key auth.Key) string {
	data, _ := json.Marshal(key) // strings only
	return string(data)
}

// change replaces the file.
func (s *Store) change(ctx context.Context, edit func(*file)) error {
	unlock, err := s.lockFile(ctx, s.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return err
	}
	edit(f)
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return s.fail("the records cannot be encoded", nil)
	}
	return s.replace(append(data, '\n'))
}

// read returns what the file holds. s.mu is held.
func (s *Store) read() (*file, error) {
	f := &file{Version: 1, Records: map[string]json.RawMessage{}}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, s.fail("it cannot be read", err)
	case !info.Mode().IsRegular():
		return nil, s.fail("it is not a file", nil)
	case info.Size() > maxSize:
		return nil, s.fail("it is too large to be a file of tokens", nil)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, s.fail(fmt.Sprintf("others may read it (mode %04o): sign-ins in it may be known to them; make it 0600", info.Mode().Perm()), nil)
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return nil, s.fail("it cannot be read", err)
	}
	// The errors of package json show what they stumbled on.
	if json.Unmarshal(data, f) != nil || f.Version != 1 {
		return nil, s.fail("it is not a file of tokens of this version: remove it to sign in anew", nil)
	}
	if f.Records == nil {
		f.Records = map[string]json.RawMessage{}
	}
	return f, nil
}

// replace writes the file such that there is always a whole one, of its owner.
func (s *Store) replace(data []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".*.tmp") // mode 0600
	if err != nil {
		return s.fail("it cannot be replaced", err)
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err == nil {
		err = temp.Close()
	}
	if err == nil {
		err = os.Rename(temp.Name(), s.path)
	}
	if err != nil {
		return s.fail("it cannot be replaced", err)
	}
	return nil
}

// Lock implements [auth.Locker], for all processes that use the file.
func (s *Store) Lock(ctx context.Context, key auth.Key) (unlock func(), err error) {
	s.keys.Lock()
	turn := s.held[key]
	if turn == nil {
		turn = make(chan struct{}, 1)
		s.held[key] = turn
	}
	s.keys.Unlock()
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, s.fail("waiting for the lock", context.Cause(ctx))
	}
	// One for all users of an authorization server: refreshes are rare, and short
	// where it answers.
	issuer := sha256.Sum256([]byte(key.Issuer))
	release, err := s.lockFile(ctx, fmt.Sprintf("%s.refresh-%x.lock", s.path, issuer[:8]))
	if err != nil {
		<-turn
		return nil, err
	}
	return func() {
		release()
		<-turn
	}, nil
}

const lockRetry = 20 * time.Millisecond

func (s *Store) lockFile(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, s.fail("its folder cannot be made", err)
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLockContext(ctx, lockRetry)
	if err != nil || !ok {
		return nil, s.fail("the lock next to it cannot be had", err)
	}
	return func() { lock.Unlock() }, nil
}

// fail returns an error that names the file.
func (s *Store) fail(problem string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the path is told already
	}
	text := fmt.Sprintf("filestore: %s: %s", s.path, strings.TrimSpace(problem))
	if err == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", text, err)
}
