package filestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
)

// A sign-in that the next run of the program still has. Handlers of package auth
// save and load it themselves when the store is in their options.
func Example() {
	dir, err := os.MkdirTemp("", "agent") // a program takes a folder of os.UserConfigDir
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "my-agent", "tokens.json")

	ctx := context.Background()
	key := auth.Key{Issuer: "https://login.example.com", Resource: "https://notes.example.com/mcp", Identity: "ada"}
	record := &auth.Record{Token: &oauth2.Token{AccessToken: "a-token"}, Granted: []string{"notes:read"}}
	if err := filestore.New(path).Save(ctx, key, record); err != nil {
		fmt.Println(err)
		return
	}

	found, err := filestore.New(path).Load(ctx, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Granted)
	other, err := filestore.New(path).Load(ctx, auth.Key{Issuer: key.Issuer, Resource: key.Resource, Identity: "bob"})
	fmt.Println(other == nil, err)
	// Output:
	// [notes:read]
	// true <nil>
}
