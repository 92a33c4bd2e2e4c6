// Package loopback receives the redirect of a sign-in on this machine, for
// programs that run where the user's browser is (RFC 8252, section 7.3).
//
//	receiver := &loopback.Receiver{Visit: func(ctx context.Context, p *auth.Prompt) error {
//		fmt.Printf("%s wants you to sign in at %s:\n%s\n", p.Server, p.Host, p.URL)
//		return nil
//	}}
//
// Nothing is opened and nothing is printed but by the caller's Visit.
package loopback
