package authserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Marker is what all secrets in tests hold, so that output can be searched for
// them.
const Marker = "plantedsecret"

// Secret returns a secret that is like no other.
func Secret() string { return Marker + rand.Text() }

// A Server is an authorization server. Its fields may be changed before the
// first request.
type Server struct {
	// URL is the issuer.
	URL string

	// TokenLife is how long access tokens are valid. 0 means an hour.
	TokenLife time.Duration
	// SecretLife is how long the secrets of clients are valid that are registered
	// dynamically. 0 means for ever.
	SecretLife time.Duration
	// NoRefresh makes it issue no refresh tokens.
	NoRefresh bool
	// NoRegistration makes it know only the clients of AddClient and, with
	// ClientDocuments, of metadata documents.
	NoRegistration, ClientDocuments bool
	// NoRevocation makes it have no endpoint for tokens of no more use.
	NoRevocation bool
	// AuthMethods are those of the token endpoint. Nil means all.
	AuthMethods []string
	// ScopesSupported by this server.
	ScopesSupported []string
	// Iss makes redirects name the issuer, and the metadata say so.
	Iss bool
	// Granted, when set, returns the scopes that the user agrees to.
	Granted func(asked []string) []string
	// Hold, when set, is called before an endpoint answers.
	Hold func(endpoint string, r *http.Request)
	// Answer, when set, answers in place of an endpoint if it returns true.
	Answer func(endpoint string, w http.ResponseWriter, r *http.Request) bool

	hosts map[string]http.Handler

	mu       sync.Mutex
	counts   map[string]int
	clients  map[string]*client
	codes    map[string]*code
	access   map[string]*signIn // by access token
	expiry   map[string]time.Time
	refresh  map[string]*signIn // by refresh token
	used     map[string]*signIn // refresh tokens that were rotated
	requests []url.Values       // of the token endpoint
}

// A client is known to the server.
type client struct {
	secret    string
	expires   time.Time // of the secret; zero if never
	key       any       // public
	method    string
	redirects []string // nil means any
}

// A code was given to the browser of a user.
type code struct {
	client, redirect, challenge, resource string
	scopes                                []string
}

// A signIn is what all tokens that come from one authorization have in common.
type signIn struct {
	client, resource string
	scopes           []string
	revoked          bool
}

// New starts a server that ends with the test.
func New(tb testing.TB) *Server {
	s := &Server{
		counts:  map[string]int{},
		clients: map[string]*client{},
		codes:   map[string]*code{},
		access:  map[string]*signIn{},
		expiry:  map[string]time.Time{},
		refresh: map[string]*signIn{},
		used:    map[string]*signIn{},
	}
	mux := http.NewServeMux()
	for path, endpoint := range map[string]func(http.ResponseWriter, *http.Request){
		"GET /.well-known/oauth-authorization-server": s.metadata,
		"POST /register": s.register,
		"GET /authorize": s.authorize,
		"POST /token":    s.token,
		"POST /revoke":   s.revoke,
	} {
		name := path[strings.LastIndex(path, "/")+1:]
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			s.counts[name]++
			hold, answer := s.Hold, s.Answer
			s.mu.Unlock()
			if hold != nil {
				hold(name, r)
			}
			if answer != nil && answer(name, w, r) {
				return
			}
			endpoint(w, r)
		})
	}
	srv := httptest.NewServer(mux)
	tb.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s.URL = srv.URL
	s.hosts = map[string]http.Handler{srv.Listener.Addr().String(): mux}
	return s
}

// Client returns an HTTP client that reaches the server, and what it protects,
// without a network, for tests with a clock of their own.
func (s *Server) Client() *http.Client { return &http.Client{Transport: direct{s}} }

type direct struct{ s *Server }

func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	handler := d.s.hosts[req.URL.Host]
	if handler == nil {
		return nil, fmt.Errorf("nobody is at %s", req.URL.Host)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	own := req.Clone(req.Context())
	if own.Body == nil {
		own.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, own)
	resp := w.Result()
	resp.Request = req
	return resp, nil
}

// Count returns how often an endpoint was asked: "oauth-authorization-server",
// "register", "authorize", "token" or "revoke".
func (s *Server) Count(endpoint string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[endpoint]
}

// TokenRequests returns the forms that the token endpoint was sent.
func (s *Server) TokenRequests() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]url.Values(nil), s.requests...)
}

// AddClient makes a client known. An empty secret and a nil key make it a
// public one; no redirects mean any.
func (s *Server) AddClient(id, secret string, key any, redirects ...string) {
	method := ""
	switch {
	case key != nil:
		method = "private_key_jwt"
	case secret == "":
		method = "none"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[id] = &client{secret: secret, key: key, method: method, redirects: redirects}
}

// Forget makes all clients unknown.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clients)
}

// Expire makes all access tokens invalid, whatever their holders believe.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
}

// Revoke ends all sign-ins, refresh tokens included.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.refresh {
		in.revoked = true
	}
	clear(s.access)
}

// check returns the scopes of a token for a resource.
func (s *Server) check(token, resource string) (scopes []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.access[token]
	if in == nil || in.revoked || in.resource != resource || time.Now().After(s.expiry[token]) {
		return nil, false
	}
	return in.scopes, true
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	methods := s.AuthMethods
	if methods == nil {
		methods = []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"}
	}
	m := map[string]any{
		"issuer":                                         s.URL,
		"authorization_endpoint":                         s.URL + "/authorize",
		"token_endpoint":                                 s.URL + "/token",
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          methods,
		"client_id_metadata_document_supported":          s.ClientDocuments,
		"authorization_response_iss_parameter_supported": s.Iss,
	}
	if !s.NoRevocation {
		m["revocation_endpoint"] = s.URL + "/revoke"
	}
	if !s.NoRegistration {
		m["registration_endpoint"] = s.URL + "/register"
	}
	if s.ScopesSupported != nil {
		m["scopes_supported"] = s.ScopesSupported
	}
	reply(w, http.StatusOK, m)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	reply(w, status, map[string]string{"error": code, "error_description": description})
}
