package auth_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// A program is registered again when its secret has expired, and not before:
// also by a handler that has it from a store.
func TestSecretsOfRegistrationsExpire(t *testing.T) {
	for name, noRefresh := range map[string]bool{"with refresh tokens": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
				as.AuthMethods = []string{"client_secret_basic"}
				as.SecretLife, as.TokenLife, as.NoRefresh = 10*time.Hour, time.Hour, noRefresh
				o.Store = auth.NewMemory()
				var p person
				signIn := func(want int) {
					t.Helper()
					h := newUser(t, auth.UserOptions{Options: o, Receiver: agreeing(&p, o)})
					if err := h.SignIn(t.Context(), r.URL); err != nil {
						t.Fatal(err)
					}
					wantCount(t, "registrations", as.Count("register"), want)
				}
				signIn(1)
				time.Sleep(2 * time.Hour) // in which the token expires
				signIn(1)
				time.Sleep(9 * time.Hour)
				signIn(2)
			})
		})
	}
}

func TestStoredRecordsKnowWhenTheSecretExpires(t *testing.T) {
	want := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	record, err := auth.DecodeRecord([]byte(`{"access_token": "t", "client_secret_expires": "2030-01-02T03:04:05Z"}`))
	if err != nil || !record.Client.SecretExpires.Equal(want) {
		t.Fatalf("%v, %v", record, err)
	}
	data, err := record.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Expires time.Time `json:"client_secret_expires"`
	}
	if err := json.Unmarshal(data, &got); err != nil || !got.Expires.Equal(want) {
		t.Errorf("written as %v, %v", got.Expires, err)
	}
}
