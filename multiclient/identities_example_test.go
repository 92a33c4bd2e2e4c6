package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// notebook is a server that lists to each user what they may do.
func notebook(r *http.Request) *mcp.Server {
	user := r.Header.Get("X-User")
	s := mcp.NewServer(&mcp.Implementation{Name: "notes"}, nil)
	tool := func(name string) {
		mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the notes of " + user}}}, nil, nil
		})
	}
	tool("read")
	if user == "ada" {
		tool("write")
	}
	return s
}

// A service where many users' requests go through one client, each on a session
// of the user's own.
func ExampleIdentities() {
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(notebook, nil))
	defer srv.Close()

	type userKey struct{} // the service knows by the context who is signed in
	client, err := multiclient.New(config.Connections{
		"notes": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{SessionPolicy: config.SessionPerIdentity}},
	}, &multiclient.Options{Identities: multiclient.Identities{
		Of: func(ctx context.Context) (string, error) {
			user, ok := ctx.Value(userKey{}).(string)
			if !ok {
				return "", errors.New("nobody is signed in")
			}
			return user, nil
		},
		Connection: func(_ context.Context, user, _ string, connection config.Connection) (config.Connection, error) {
			own := connection.(config.StreamableHTTP)
			own.Headers = http.Header{"X-User": {user}} // or a token, or an OAuthHandler
			return own, nil
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for _, user := range []string{"ada", "bob"} {
		ctx := context.WithValue(context.Background(), userKey{}, user)
		tools, err := client.Tools(ctx)
		if err != nil {
			log.Fatal(err)
		}
		text, err := tools[0].Call(ctx, "{}")
		fmt.Println(len(tools), "tools;", text, err)
	}
	_, err = client.Tools(context.Background())
	fmt.Println(err)
	// Output:
	// 2 tools; the notes of ada <nil>
	// 1 tools; the notes of bob <nil>
	// multiclient: server "notes": lookup: no identity: nobody is signed in
}
