package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// A Key says what a token is for. Nothing in it is secret.
type Key struct {
	// Issuer is the authorization server.
	Issuer string
	// Resource is the MCP server, as it identifies itself.
	Resource string
	// Client is the id of the client, or empty if it is registered dynamically.
	Client string
	// Identity is [Options.Identity].
	Identity string
}

// A Store keeps records. It must be safe for concurrent use.
//
// A store that several processes share should be a [Locker] too.
type Store interface {
	// Load returns the record of a key, or nil if there is none.
	Load(ctx context.Context, key Key) (*Record, error)
	// Save replaces the record of a key. It does not keep the record.
	Save(ctx context.Context, key Key, record *Record) error
	// Delete removes the record of a key, if there is one.
	Delete(ctx context.Context, key Key) error
}

// A Locker is a [Store] that lets one process at a time refresh the token of a
// key: authorization servers that rotate refresh tokens take the second use of
// one for theft, and end the whole sign-in.
type Locker interface {
	// Lock waits until nobody else has the lock of the key.
	Lock(ctx context.Context, key Key) (unlock func(), err error)
}

// A Record is what is kept of a sign-in. It is secret.
type Record struct {
	// Token holds the access token and, if there is one, the refresh token.
	Token *oauth2.Token
	// Obtained is when the token was issued.
	Obtained time.Time
	// Asked are the scopes that were asked for, and Granted those that were
	// granted.
	Asked, Granted []string
	// Client is who the token was issued to.
	Client Client
}

// A Client is how this program is known to an authorization server.
type Client struct {
	ID     string
	Secret Secret
	// Method says how it identifies itself at the token endpoint: "none",
	// "client_secret_basic" or "client_secret_post".
	Method string
	// RedirectURL is the one that was registered, if the client was registered
	// dynamically.
	RedirectURL string
	// SecretExpires is when Secret ends, or zero.
	SecretExpires time.Time
}

// Format writes nothing secret, for every verb.
func (r *Record) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.description()) }

// MarshalText returns what Format writes: what JSON, and logs in JSON, show.
// [Record.Encode] is for stores.
func (r *Record) MarshalText() ([]byte, error) { return []byte(r.description()), nil }

func (r *Record) description() string {
	if r == nil || r.Token == nil {
		return "auth record (empty)"
	}
	if r.Token.Expiry.IsZero() {
		return "auth record"
	}
	return "auth record (expires " + r.Token.Expiry.UTC().Format(time.RFC3339) + ")"
}

// stored is a record as stores keep it.
type stored struct {
	AccessToken   string    `json:"access_token"`
	TokenType     string    `json:"token_type,omitempty"`
	RefreshToken  string    `json:"refresh_token,omitempty"`
	Expiry        time.Time `json:"expiry,omitzero"`
	Obtained      time.Time `json:"obtained,omitzero"`
	Asked         []string  `json:"asked,omitempty"`
	Granted       []string  `json:"granted,omitempty"`
	ClientID      string    `json:"client_id,omitempty"`
	ClientSecret  string    `json:"client_secret,omitempty"`
	Method        string    `json:"token_endpoint_auth_method,omitempty"`
	RedirectURL   string    `json:"redirect_uri,omitempty"`
	SecretExpires time.Time `json:"client_secret_expires,omitzero"`
}

// Encode returns the record as JSON, secrets included, for a store to keep.
func (r *Record) Encode() ([]byte, error) {
	return json.Marshal(stored{
		AccessToken:   r.Token.AccessToken,
		TokenType:     r.Token.TokenType,
		RefreshToken:  r.Token.RefreshToken,
		Expiry:        r.Token.Expiry,
		Obtained:      r.Obtained,
		Asked:         r.Asked,
		Granted:       r.Granted,
		ClientID:      r.Client.ID,
		ClientSecret:  string(r.Client.Secret),
		Method:        r.Client.Method,
		RedirectURL:   r.Client.RedirectURL,
		SecretExpires: r.Client.SecretExpires,
	})
}

// DecodeRecord reads what [Record.Encode] wrote. Its errors say nothing of the
// data.
func DecodeRecord(data []byte) (*Record, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the record of a sign-in is not the JSON that it should be")
	}
	if s.AccessToken == "" {
		return nil, fmt.Errorf("the record of a sign-in has no access_token")
	}
	return &Record{
		Token: &oauth2.Token{
			AccessToken:  s.AccessToken,
			TokenType:    s.TokenType,
			RefreshToken: s.RefreshToken,
			Expiry:       s.Expiry,
		},
		Obtained: s.Obtained,
		Asked:    s.Asked,
		Granted:  s.Granted,
		Client: Client{
			ID:            s.ClientID,
			Secret:        Secret(s.ClientSecret),
			Method:        s.Method,
			RedirectURL:   s.RedirectURL,
			SecretExpires: s.SecretExpires,
		},
	}, nil
}

// NewMemory returns a store that forgets everything when the program ends.
func NewMemory() Store { return &memory{records: map[Key]*Record{}} }

type memory struct {
	mu      sync.Mutex
	records map[Key]*Record
}

func (m *memory) Load(_ context.Context, key Key) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[key].clone(), nil
}

func (m *memory) Save(_ context.Context, key Key, record *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records[key] = record.clone()
	return nil
}

func (m *memory) Delete(_ context.Context, key Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, key)
	return nil
}

func (r *Record) clone() *Record {
	if r == nil {
		return nil
	}
	c, token := *r, *r.Token
	c.Token = &token
	return &c
}
