package authserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A Resource is an MCP server that wants tokens.
type Resource struct {
	// URL is the MCP endpoint.
	URL string
	// Scopes are those that every request needs; they are in the metadata.
	Scopes []string
	// ToolScopes are those that calls of these tools need.
	ToolScopes map[string]string
	// Anonymous methods of MCP need no token.
	Anonymous []string

	as   *Server
	next http.Handler
}

// Protect serves an MCP server, until the test ends, to those who have a token
// of s.
func (s *Server) Protect(tb testing.TB, next http.Handler) *Resource {
	p := &Resource{as: s, next: next}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, map[string]any{
			"resource": p.URL, "authorization_servers": []string{s.URL}, "scopes_supported": p.Scopes, "resource_name": "Test\x1bserver",
		})
	})
	mux.HandleFunc("/mcp", p.serve)
	srv := httptest.NewServer(mux)
	tb.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	p.URL = srv.URL + "/mcp"
	s.hosts[srv.Listener.Addr().String()] = mux
	return p
}

func (p *Resource) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	for _, method := range p.Anonymous {
		if bytes.Contains(body, []byte(`"`+method+`"`)) {
			p.next.ServeHTTP(w, r)
			return
		}
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	scopes, ok := p.as.check(token, p.URL)
	metadata := strings.TrimSuffix(p.URL, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
	if !ok {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata=%q, error="invalid_token"`, metadata))
		http.Error(w, "no valid token: "+token, http.StatusUnauthorized)
		return
	}
	need := slices.Clone(p.Scopes)
	for tool, scope := range p.ToolScopes {
		if bytes.Contains(body, []byte(`"tools/call"`)) && bytes.Contains(body, []byte(`"`+tool+`"`)) {
			need = append(need, scope)
		}
	}
	for _, scope := range need {
		if !slices.Contains(scopes, scope) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata=%q, error="insufficient_scope", scope=%q`,
				metadata, strings.Join(need, " ")))
			http.Error(w, "more scopes are needed", http.StatusForbidden)
			return
		}
	}
	p.next.ServeHTTP(w, r)
}

// Agree is the browser of a user who agrees: it visits a URL and returns the
// query of the redirect.
func Agree(visit string) (url.Values, error) {
	browser := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := browser.Get(visit)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	location, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization server answered %s without a redirect", resp.Status)
	}
	return location.Query(), nil
}
