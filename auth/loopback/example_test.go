package loopback_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/loopback"
)

// browse does what the authorization server and the browser do once the user has
// agreed: it visits the redirect URL.
func browse(p *auth.Prompt, redirect string) error {
	visit, err := url.Parse(p.URL)
	if err != nil {
		return err
	}
	res, err := http.Get(redirect + "?code=the-code&state=" + visit.Query().Get("state"))
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Package auth does with a receiver what this does: it listens, has the user visit a
// URL, and waits for the browser to come back.
func ExampleReceiver() {
	var redirect string
	receiver := &loopback.Receiver{Visit: func(_ context.Context, p *auth.Prompt) error {
		fmt.Println(p.Server, "wants you to sign in at", p.Host) // a program opens p.URL in a browser
		return browse(p, redirect)
	}}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	reception, err := receiver.Receive(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reception.Close()
	redirect = reception.RedirectURL()
	query, err := reception.Wait(ctx, &auth.Prompt{
		Server: "https://notes.example.com/mcp", Host: "login.example.com", URL: "https://login.example.com/authorize?state=a-guess",
	})
	fmt.Println(query.Get("code"), err)
	// Output:
	// https://notes.example.com/mcp wants you to sign in at login.example.com
	// the-code <nil>
}
