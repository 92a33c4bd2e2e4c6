package keyring_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	gokeyring "github.com/zalando/go-keyring"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/keyring"
)

// secret holds what output is searched for.
const secret = "plantedsecret"

func TestStore(t *testing.T) {
	gokeyring.MockInit()
	s := keyring.New("mcpadapters-test")
	key := auth.Key{Issuer: "https://as.example.com", Resource: "https://mcp.example.com/" + strings.Repeat("x", 100)}
	other := key
	other.Identity = "other"
	want := &auth.Record{
		Token:  &oauth2.Token{AccessToken: secret + "1", RefreshToken: secret + "2"},
		Client: auth.Client{ID: "me", Secret: secret + "3"},
	}
	if got, err := s.Load(t.Context(), key); got != nil || err != nil {
		t.Fatalf("from an empty keyring: %v, %v", got, err)
	}
	if err := s.Save(t.Context(), key, want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(t.Context(), key)
	if err != nil || !cmp.Equal(want, got, cmpopts.IgnoreUnexported(oauth2.Token{})) {
		t.Errorf("the record is another one, or the error %v", err)
	}
	if got, err := s.Load(t.Context(), other); got != nil || err != nil {
		t.Errorf("another user has the record, or the error %v", err)
	}
	for range 2 {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if got, err := s.Load(t.Context(), key); got != nil || err != nil {
		t.Errorf("after Delete there is a record, or the error %v", err)
	}
}

func TestNoKeyring(t *testing.T) {
	absent := errors.New("no keyring here")
	gokeyring.MockInitWithError(absent)
	s := keyring.New("mcpadapters-test")
	_, err := s.Load(t.Context(), auth.Key{})
	for name, err := range map[string]error{
		"Load":   err,
		"Save":   s.Save(t.Context(), auth.Key{}, &auth.Record{Token: &oauth2.Token{AccessToken: secret}}),
		"Delete": s.Delete(t.Context(), auth.Key{}),
	} {
		if !errors.Is(err, absent) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
