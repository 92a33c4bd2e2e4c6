package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/loopback"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A user at a terminal.
func ExampleNewUser() {
	signIn, err := auth.NewUser(&auth.UserOptions{
		Receiver: &loopback.Receiver{Visit: func(_ context.Context, p *auth.Prompt) error {
			fmt.Printf("%s wants you to sign in at %s:\n%s\n", p.Server, p.Host, p.URL)
			return nil
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(config.Connections{
		"notes": config.StreamableHTTP{URL: "https://notes.example.com/mcp", OAuthHandler: signIn},
	})
	// Output: map[notes:streamable_http https://notes.example.com/mcp]
}

// A program on its own behalf.
func ExampleNewMachine() {
	_, err := auth.NewMachine(&auth.MachineOptions{
		ClientID:     "nightly-agent",
		ClientSecret: auth.Secret(os.Getenv("THE_VARIABLE_THAT_WAS_FORGOTTEN")),
	})
	fmt.Println(err)
	// Output: auth: invalid options: set ClientSecret, Key or Assertion
}

// A program that cannot ask its user now.
func ExampleHandler_SignIn() {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"issuer": %[1]q, "authorization_endpoint": "%[2]s/authorize", "token_endpoint": "%[2]s/token",
			"code_challenge_methods_supported": ["S256"]}`, srv.URL, srv.URL)
	})

	signIn, err := auth.NewUser(&auth.UserOptions{ClientID: "my-agent", RedirectURL: "https://agent.example.com/callback"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var e *auth.Error
	err = signIn.SignIn(context.Background(), srv.URL+"/mcp")
	if errors.As(err, &e) && e.Kind == auth.ErrRequired {
		fmt.Println("there is a URL to visit:", e.Prompt.URL != "")
	}
	// Output: there is a URL to visit: true
}
