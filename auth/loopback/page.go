package loopback

import (
	"crypto/subtle"
	"fmt"
	"html"
	"net/http"
	"net/url"
)

// ServeHTTP takes the one redirect. Requests with another state may come from
// any page that the user has open: they change nothing.
func (r *reception) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Connection", "close")
	if req.Host != r.redirect.Host || req.URL.Path != r.redirect.Path {
		page(w, http.StatusNotFound, "Nothing is here", "This address is for the end of a sign-in only.")
		return
	}
	if req.Method != http.MethodGet {
		h.Set("Allow", http.MethodGet)
		page(w, http.StatusMethodNotAllowed, "Not this way", "This address is for the end of a sign-in only.")
		return
	}
	query := req.URL.Query()
	if !r.take(query) {
		page(w, http.StatusBadRequest, "No sign-in is waiting for this", "It may have ended, or been completed before. Begin again in the program.")
		return
	}
	if query.Get("error") != "" {
		page(w, http.StatusOK, "You are not signed in", "The program has been told. You can close this window.")
		return
	}
	page(w, http.StatusOK, "Almost done", "The program has what it needs to sign in. You can close this window.")
}

// take hands on the query, if it is the one that is waited for.
func (r *reception) take(query url.Values) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == "" || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(r.state)) != 1 {
		return false
	}
	r.state = ""
	r.arrived <- query
	return true
}

// page writes a page that holds nothing of the request.
func page(w http.ResponseWriter, status int, title, text string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>%[1]s</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>%[1]s</h1><p>%[2]s</p></html>
`, html.EscapeString(title), html.EscapeString(text))
}
