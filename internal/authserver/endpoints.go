package authserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// register is RFC 7591.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Name      string   `json:"client_name"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Redirects) == 0 {
		refuse(w, http.StatusBadRequest, "invalid_redirect_uri", "a redirect URL is needed")
		return
	}
	if in.Method == "" {
		in.Method = "client_secret_basic"
	}
	c := &client{method: in.Method, redirects: in.Redirects}
	id := "client-" + rand.Text()
	out := map[string]any{
		"client_id": id, "redirect_uris": in.Redirects, "token_endpoint_auth_method": in.Method, "client_name": in.Name,
	}
	if in.Method != "none" {
		c.secret = Secret()
		out["client_secret"], out["client_secret_expires_at"] = c.secret, 0
		if s.SecretLife > 0 {
			c.expires = time.Now().Add(s.SecretLife)
			out["client_secret_expires_at"] = c.expires.Unix()
		}
	}
	s.mu.Lock()
	s.clients[id] = c
	s.mu.Unlock()
	reply(w, http.StatusCreated, out)
}

// authorize is the page at which a user agrees at once.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[q.Get("client_id")]
	if c == nil && s.ClientDocuments && strings.HasPrefix(q.Get("client_id"), "https://") {
		c = &client{method: "none"}
		s.clients[q.Get("client_id")] = c
	}
	redirect, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case c == nil:
		http.Error(w, "unknown client", http.StatusBadRequest)
		return
	case err != nil || c.redirects != nil && !slices.Contains(c.redirects, q.Get("redirect_uri")):
		http.Error(w, "the redirect URL is not registered", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	if s.Iss {
		back.Set("iss", s.URL)
	}
	scopes := strings.Fields(q.Get("scope"))
	if s.Granted != nil {
		scopes = s.Granted(scopes)
	}
	switch {
	case q.Get("response_type") != "code", q.Get("code_challenge_method") != "S256", q.Get("code_challenge") == "", q.Get("resource") == "":
		back.Set("error", "invalid_request")
	default:
		given := Secret()
		s.codes[given] = &code{
			client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			resource: q.Get("resource"), scopes: scopes,
		}
		back.Set("code", given)
	}
	redirect.RawQuery = back.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.PostForm)
	id, ok := s.authenticate(r)
	if !ok {
		refuse(w, http.StatusUnauthorized, "invalid_client", "the client is not who it says")
		return
	}
	in := &signIn{client: id, resource: r.PostForm.Get("resource"), scopes: strings.Fields(r.PostForm.Get("scope"))}
	refreshable := false
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		c := s.codes[r.PostForm.Get("code")]
		delete(s.codes, r.PostForm.Get("code"))
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if c == nil || c.client != id || c.redirect != r.PostForm.Get("redirect_uri") || c.resource != in.resource ||
			c.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			// Some servers repeat what they were sent.
			refuse(w, http.StatusBadRequest, "invalid_grant", "bad code "+r.PostForm.Get("code"))
			return
		}
		in.scopes, refreshable = c.scopes, !s.NoRefresh
	case "refresh_token":
		given := r.PostForm.Get("refresh_token")
		if reused := s.used[given]; reused != nil {
			reused.revoked = true
		}
		old := s.refresh[given]
		if old == nil || old.revoked || old.client != id || old.resource != in.resource {
			refuse(w, http.StatusBadRequest, "invalid_grant", "bad refresh token "+given)
			return
		}
		delete(s.refresh, given)
		s.used[given] = old
		in, refreshable = old, true
	case "client_credentials":
		if s.clients[id].method == "none" {
			refuse(w, http.StatusBadRequest, "unauthorized_client", "a secret is needed")
			return
		}
	case "urn:ietf:params:oauth:grant-type:jwt-bearer":
		if !strings.HasPrefix(r.PostForm.Get("assertion"), Marker) {
			refuse(w, http.StatusBadRequest, "invalid_grant", "bad assertion "+r.PostForm.Get("assertion"))
			return
		}
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", "")
		return
	}
	life := s.TokenLife
	if life == 0 {
		life = time.Hour
	}
	access := Secret()
	s.access[access], s.expiry[access] = in, time.Now().Add(life)
	out := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": max(1, int(life/time.Second))}
	if len(in.scopes) > 0 {
		out["scope"] = strings.Join(in.scopes, " ")
	}
	if refreshable {
		refresh := Secret()
		s.refresh[refresh] = in
		out["refresh_token"] = refresh
	}
	reply(w, http.StatusOK, out)
}

// authenticate returns the client that a request is from. s.mu is held.
func (s *Server) authenticate(r *http.Request) (id string, ok bool) {
	id, secret, method := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), "client_secret_post"
	if user, password, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
		method = "client_secret_basic"
	}
	c := s.clients[id]
	if c == nil || !c.expires.IsZero() && !time.Now().Before(c.expires) {
		return "", false
	}
	if assertion := r.PostForm.Get("client_assertion"); assertion != "" {
		_, err := jwt.ParseWithClaims(assertion, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return c.key, nil },
			jwt.WithAudience(s.URL), jwt.WithIssuer(id), jwt.WithSubject(id), jwt.WithExpirationRequired())
		return id, c.key != nil && err == nil
	}
	if secret == "" && c.secret == "" {
		return id, c.method == "none" && method == "client_secret_post"
	}
	return id, c.secret == secret && (c.method == "" || c.method == method) &&
		(s.AuthMethods == nil || slices.Contains(s.AuthMethods, method))
}

// revoke is RFC 7009.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.authenticate(r); !ok {
		refuse(w, http.StatusUnauthorized, "invalid_client", "the client is not who it says")
		return
	}
	for _, tokens := range []map[string]*signIn{s.access, s.refresh} {
		if in := tokens[token]; in != nil {
			in.revoked = true
		}
	}
	w.WriteHeader(http.StatusOK)
}
