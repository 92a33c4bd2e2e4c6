package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestRequiredAndCompleted(t *testing.T) {
	_, r := protected(t, false)
	h := newUser(t, auth.UserOptions{RedirectURL: callback})
	c := newClient(t, r, h)
	err := echo(t.Context(), c)
	e := wantError(t, err, auth.ErrRequired)
	if !errors.Is(err, multiclient.ErrUnavailable) {
		t.Errorf("kind of %v", err)
	}
	if e.Prompt == nil || e.Prompt.URL == "" || strings.Contains(err.Error(), "state=") {
		t.Fatalf("the URL is to be in the prompt, not in the text: %v", err)
	}
	if status := c.Status()[0].LastError; !errors.Is(status, auth.ErrRequired) {
		t.Errorf("the status says %v", status)
	}
	again := wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrRequired)
	if again.Prompt.URL != e.Prompt.URL {
		t.Error("the URL is another one the second time")
	}
	query, err := authserver.Agree(e.Prompt.URL)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, h.Complete(t.Context(), url.Values{"state": {"other"}, "code": {"x"}}), auth.ErrDeclined)
	if err := h.Complete(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	wantError(t, h.Complete(t.Context(), query), auth.ErrDeclined)
	if err := echo(t.Context(), c); err != nil {
		t.Error(err)
	}
	if err := h.SignOut(t.Context(), r.URL); err != nil {
		t.Error(err)
	}
	wantError(t, echo(t.Context(), c), auth.ErrRequired)
	wantError(t, newMachine(t, auth.MachineOptions{ClientID: "robot", ClientSecret: "x"}).Complete(t.Context(), query), auth.ErrOptions)
}

// What comes back by the browser is not believed.
func TestForgedRedirects(t *testing.T) {
	for name, test := range map[string]struct {
		iss    bool
		forge  func(url.Values)
		kind   auth.ErrorKind
		answer string
	}{
		"another state":            {forge: func(q url.Values) { q.Set("state", "other") }, kind: auth.ErrDeclined},
		"another issuer":           {forge: func(q url.Values) { q.Set("iss", "https://evil.example.com") }, kind: auth.ErrDeclined},
		"no issuer, though named":  {iss: true, forge: func(q url.Values) { q.Del("iss") }, kind: auth.ErrDeclined},
		"a wrong issuer and error": {iss: true, forge: func(q url.Values) { q.Set("iss", "x"); q.Set("error", "y") }, kind: auth.ErrDeclined},
		"another code":             {forge: func(q url.Values) { q.Set("code", authserver.Secret()) }, kind: auth.ErrToken},
		"no code":                  {forge: func(q url.Values) { q.Del("code") }, kind: auth.ErrToken},
		"an error": {forge: func(q url.Values) {
			q.Set("error", "server_error")
			q.Set("error_description", "out\x1b[31m of order"+strings.Repeat("x", 5000))
		}, kind: auth.ErrToken},
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			as.Iss = test.iss
			p := person{answer: func(_ context.Context, prompt *auth.Prompt) (url.Values, error) {
				query, err := authserver.Agree(prompt.URL)
				test.forge(query)
				return query, err
			}}
			err := newUser(t, auth.UserOptions{Receiver: p.receiver()}).SignIn(t.Context(), r.URL)
			wantError(t, err, test.kind)
			if text := err.Error(); len(text) > 600 || strings.ContainsAny(text, "\x1b\n") {
				t.Errorf("the error is not fit to be shown: %q", text)
			}
		})
	}
}

// An endpoint that misbehaves costs the sign-in, and no secret.
func TestHostileEndpoints(t *testing.T) {
	answer := func(status int, contentType, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			w.Write([]byte(strings.ReplaceAll(body, "ECHO", r.Form.Encode()+r.Header.Get("Authorization")+r.Form.Get("code"))))
		}
	}
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere?x="+authserver.Marker, http.StatusTemporaryRedirect)
	}
	for name, test := range map[string]struct {
		endpoint string
		answer   func(http.ResponseWriter, *http.Request)
		kind     auth.ErrorKind
	}{
		"the token endpoint repeats":         {"token", answer(400, "text/plain", "ECHO"), auth.ErrToken},
		"the token endpoint repeats in JSON": {"token", answer(400, "application/json", `{"error":"invalid_grant","error_description":"ECHO"}`), auth.ErrToken},
		"the token endpoint sends away":      {"token", away, auth.ErrToken},
		"the token endpoint sends nonsense":  {"token", answer(200, "application/json", `{"access_token":7}`), auth.ErrToken},
		"the token endpoint sends no token":  {"token", answer(200, "application/json", `{}`), auth.ErrToken},
		"the token would break a header":     {"token", answer(200, "application/json", `{"access_token":"plantedsecret\r\nX: y"}`), auth.ErrToken},
		"the registration repeats":           {"register", answer(500, "text/plain", "ECHO"), auth.ErrClient},
		"the registration is cut":            {"register", answer(201, "application/json", `{"client_id":"x","client_secret":"plantedsecret`), auth.ErrClient},
		"the registration sends away":        {"register", away, auth.ErrClient},
		"the registration is refused":        {"register", answer(400, "application/json", `{"error":"no","error_description":"never"}`), auth.ErrClient},
		"the metadata are nonsense":          {"oauth-authorization-server", answer(200, "application/json", `[]`), auth.ErrDiscovery},
		"the metadata are of another":        {"oauth-authorization-server", answer(200, "application/json", `{"issuer":"https://evil.example.com"}`), auth.ErrDiscovery},
		"the server of the metadata is down": {"oauth-authorization-server", answer(503, "text/plain", "ECHO"), auth.ErrDiscovery},
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			as.Answer = func(endpoint string, w http.ResponseWriter, r *http.Request) bool {
				if endpoint == test.endpoint {
					test.answer(w, r)
				}
				return endpoint == test.endpoint
			}
			var p person
			err := newUser(t, auth.UserOptions{Receiver: p.receiver()}).SignIn(t.Context(), r.URL)
			wantError(t, err, test.kind)
		})
	}
}

func TestStepUpIsNotAskedForTwice(t *testing.T) {
	as, r := protected(t, false)
	r.ToolScopes = map[string]string{"echo": "speak"}
	as.Granted = func(asked []string) []string { return nil } // the user agrees to nothing
	var p person
	c := newClient(t, r, newUser(t, auth.UserOptions{Receiver: p.receiver()}))
	for range 3 {
		if err := echo(t.Context(), c); err == nil {
			t.Fatal("the tool was called")
		}
	}
	wantCount(t, "authorizations", int(p.asked.Load()), 2)
	wantError(t, echo(t.Context(), c), auth.ErrRefused)
	if _, err := c.CallTool(t.Context(), "one", "add", map[string]any{"a": 1, "b": 1}); err != nil {
		t.Errorf("another tool: %v", err)
	}
	wantGeneration(t, c, 1)
}

func TestHandlersAreForOneServer(t *testing.T) {
	_, r := protected(t, true)
	_, other := protected(t, true)
	var p person
	h := newUser(t, auth.UserOptions{Receiver: p.receiver()})
	if err := h.SignIn(t.Context(), r.URL+"?key="+authserver.Marker); err != nil {
		t.Fatal(err)
	}
	wantError(t, h.SignIn(t.Context(), other.URL), auth.ErrOptions)
	wantError(t, h.SignIn(t.Context(), "::"+authserver.Marker), auth.ErrOptions)
}
