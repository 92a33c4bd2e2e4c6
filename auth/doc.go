// Package auth signs in to MCP servers over HTTP by OAuth 2.1.
//
// A [Handler] is for one server. [NewUser] makes one for a user who signs in
// by a browser, [NewMachine] one for a program on its own behalf, and [Share]
// wraps a handler of the SDK, or of one's own:
//
//	signIn, err := auth.NewUser(&auth.UserOptions{
//		Receiver: &loopback.Receiver{Visit: func(ctx context.Context, p *auth.Prompt) error {
//			fmt.Printf("%s wants you to sign in at %s:\n%s\n", p.Server, p.Host, p.URL)
//			return nil
//		}},
//		Options: auth.Options{Store: filestore.New(path)},
//	})
//	connections := config.Connections{
//		"notes": config.StreamableHTTP{URL: "https://notes.example.com/mcp", OAuthHandler: signIn},
//	}
//
// Nothing happens before a server refuses a request. Then the handler finds
// out where to sign in (RFC 9728 and 8414), takes the token from the store if
// there is one, refreshes it if it has expired, and otherwise asks the user.
// One authorization runs at a time, for all callers; it does not end with any
// of them, but by a bound of its own. A failure is remembered for a short
// while, so that the next request does not ask again at once.
//
// It is made of what the SDK offers for discovery, registration and
// challenges, rather than of the SDK's handlers. Those run one authorization
// for each request, end it with the caller's context, which ends the session
// too, register a new client each time, and cannot keep tokens.
package auth
