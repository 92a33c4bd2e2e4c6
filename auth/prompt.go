package auth

import (
	"context"
	"net/url"
)

// A Prompt is what a user should be shown before signing in. All of it but
// Server comes from servers and is not to be trusted: show it as text, and
// open the URL only if the user agrees.
type Prompt struct {
	// URL is where the user signs in. It is for this one authorization.
	URL string

	// Server is the URL of the MCP server that wants to be signed in to,
	// without what may be secret in it.
	Server string

	// ServerName is what the server calls itself, in one line, or empty.
	ServerName string

	// Issuer is the authorization server, and Host the host of URL, where the
	// user will type a password.
	Issuer, Host string

	// Scopes are what is asked for. It may be empty.
	Scopes []string

	// StepUp says that the user is signed in and asked for more.
	StepUp bool
}

// A Receiver gets users to sign in and receives what the authorization server
// sends back by way of their browser. Methods may be called from several
// goroutines at a time; the library never has two receptions of one handler.
type Receiver interface {
	// Receive gets ready for one redirect. The reception is closed when it is
	// no longer needed.
	Receive(ctx context.Context) (Reception, error)
}

// A Reception waits for one redirect.
type Reception interface {
	// RedirectURL is where the authorization server sends the browser.
	RedirectURL() string

	// Wait has the user visit the URL of the prompt and returns the query of
	// the redirect. It must return when ctx ends.
	Wait(ctx context.Context, prompt *Prompt) (url.Values, error)

	// Close ends the reception. It is called once.
	Close() error
}

// Redirect is a [Receiver] for a fixed URL, behind which something of the
// caller's own receives the redirect.
type Redirect struct {
	// URL is where the authorization server sends the browser. It is required.
	URL string

	// Visit does what [Reception].Wait says. It is required.
	Visit func(ctx context.Context, prompt *Prompt) (url.Values, error)
}

// Receive returns a reception for r.URL.
func (r Redirect) Receive(context.Context) (Reception, error) { return redirection{r}, nil }

type redirection struct{ Redirect }

func (r redirection) RedirectURL() string { return r.URL }

func (r redirection) Wait(ctx context.Context, p *Prompt) (url.Values, error) {
	return r.Visit(ctx, p)
}

func (redirection) Close() error { return nil }
