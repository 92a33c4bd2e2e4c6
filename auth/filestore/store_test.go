package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

var key = auth.Key{Issuer: "https://as.example.com", Resource: "https://mcp.example.com/mcp", Client: "me"}

func record() *auth.Record {
	now := time.Now().UTC().Round(time.Second)
	return &auth.Record{
		Token: &oauth2.Token{
			AccessToken: authserver.Secret(), TokenType: "Bearer", RefreshToken: authserver.Secret(), Expiry: now.Add(time.Hour),
		},
		Obtained: now,
		Asked:    []string{"read", "write"},
		Granted:  []string{"read"},
		Client:   auth.Client{ID: "me", Secret: auth.Secret(authserver.Secret()), Method: "client_secret_post", RedirectURL: "http://127.0.0.1:1/"},
	}
}

func path(t *testing.T) string { return filepath.Join(t.TempDir(), "agent", "tokens.json") }

func TestRecordsSurvive(t *testing.T) {
	p := path(t)
	if got, err := filestore.New(p).Load(t.Context(), key); got != nil || err != nil {
		t.Fatalf("from no file: %v, %v", got, err)
	}
	want := record()
	if err := filestore.New(p).Save(t.Context(), key, want); err != nil {
		t.Fatal(err)
	}
	got, err := filestore.New(p).Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(want, got, cmpopts.IgnoreUnexported(oauth2.Token{})) {
		t.Error("the record that was loaded is not the one that was saved")
	}
	for _, other := range []auth.Key{
		{Issuer: "https://other.example.com", Resource: key.Resource, Client: key.Client},
		{Issuer: key.Issuer, Resource: "https://other.example.com", Client: key.Client},
		{Issuer: key.Issuer, Resource: key.Resource, Client: "other"},
		{Issuer: key.Issuer, Resource: key.Resource, Client: key.Client, Identity: "other"},
	} {
		if got, err := filestore.New(p).Load(t.Context(), other); got != nil || err != nil {
			t.Errorf("%v has the record of %v: error %v", other, key, err)
		}
	}
	if err := filestore.New(p).Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if got, err := filestore.New(p).Load(t.Context(), key); got != nil || err != nil {
		t.Errorf("after Delete there is a record, or the error %v", err)
	}
}

func TestOnlyTheOwnerReads(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no such modes
	}
	p := path(t)
	s := filestore.New(p)
	if err := s.Save(t.Context(), key, record()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{p: 0o600, filepath.Dir(p): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", filepath.Base(name), got, want)
		}
	}
	if err := os.Chmod(p, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := s.Load(t.Context(), key)
	wantError(t, err, "0644")
	wantError(t, s.Save(t.Context(), key, record()), "0600")
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "tokens.json") {
		t.Errorf("error %v, want the file and %q in it", err, part)
	}
	if err != nil && strings.Contains(err.Error(), authserver.Marker) {
		t.Error("the error shows a secret")
	}
}

func TestBrokenFiles(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         authserver.Marker,
		"empty":           "",
		"another version": `{"version": 2, "records": {}}`,
		"a wrong shape":   `{"version": 1, "records": "` + authserver.Marker + `"}`,
		"a wrong record":  `{"version": 1, "records": {` + fmt.Sprintf("%q", `{"Issuer":"https://as.example.com","Resource":"https://mcp.example.com/mcp","Client":"me","Identity":""}`) + `: {"refresh_token": "` + authserver.Marker + `"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "tokens.json")
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := filestore.New(p).Load(t.Context(), key)
			wantError(t, err, "remove")
			if after, err := os.ReadFile(p); err != nil || string(after) != text {
				t.Error("the file was changed")
			}
		})
	}
	_, err := filestore.New(filepath.Join(t.TempDir(), "tokens.json", "..")).Load(t.Context(), key)
	if err == nil {
		t.Error("a folder is taken for a file")
	}
}

// Stores of one file stand for processes.
func TestConcurrentStores(t *testing.T) {
	p := path(t)
	var wg sync.WaitGroup
	const n = 8
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			own := key
			own.Client = fmt.Sprint(i)
			s := filestore.New(p)
			errs[i] = s.Save(t.Context(), own, record())
			if got, err := s.Load(t.Context(), own); err != nil || got == nil {
				errs[i] = errors.Join(errs[i], fmt.Errorf("what was saved is not there: %w", err))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		own := key
		own.Client = fmt.Sprint(i)
		if got, err := filestore.New(p).Load(t.Context(), own); got == nil || err != nil {
			t.Errorf("the record of %d is lost: %v", i, err)
		}
	}
	leftovers, err := filepath.Glob(p + ".*.tmp")
	if err != nil || len(leftovers) > 0 {
		t.Errorf("left over: %v, %v", leftovers, err)
	}
}

func TestLockIsForOneAtATime(t *testing.T) {
	p := path(t)
	first, second := filestore.New(p), filestore.New(p)
	unlock, err := first.Lock(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*filestore.Store{"the same store": first, "another": second} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := s.Lock(ctx, key); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
	}
	// Authorization servers that do not answer are waited for by their users only.
	other := key
	other.Issuer = "https://other.example.com"
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if unlock, err := second.Lock(ctx, other); err != nil {
		t.Errorf("another authorization server: %v", err)
	} else {
		unlock()
	}
	// The file can be used meanwhile, by whoever has the lock.
	if err := first.Save(t.Context(), key, record()); err != nil {
		t.Error(err)
	}
	unlock()
	unlock, err = second.Lock(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
