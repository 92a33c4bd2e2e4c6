package main

import (
	"context"

	"github.com/golang-jwt/jwt/v5"
	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// clientSecret signs a machine in by a secret.
func clientSecret(known given) (sdkauth.OAuthHandler, error) {
	return auth.NewMachine(&auth.MachineOptions{ClientID: known.ClientID, ClientSecret: auth.Secret(known.ClientSecret)})
}

// clientAssertion signs a machine in by a key.
func clientAssertion(known given) (sdkauth.OAuthHandler, error) {
	key, err := jwt.ParseECPrivateKeyFromPEM([]byte(known.PrivateKeyPEM))
	if err != nil {
		return nil, err
	}
	return auth.NewMachine(&auth.MachineOptions{ClientID: known.ClientID, Key: key})
}

// workloadIdentity signs a machine in by what its platform says of it.
func workloadIdentity(known given) (sdkauth.OAuthHandler, error) {
	return auth.NewMachine(&auth.MachineOptions{
		ClientID: known.ClientID,
		Assertion: func(context.Context, *auth.Target) (auth.Secret, error) {
			return auth.Secret(known.ValidJWT), nil
		},
	})
}

// enterprise exchanges what an identity provider says of a user for its word
// that the user may use the server, and that for a token (SEP-990).
func enterprise(known given) (sdkauth.OAuthHandler, error) {
	return auth.NewMachine(&auth.MachineOptions{
		ClientID:     known.ClientID,
		ClientSecret: auth.Secret(known.ClientSecret),
		Assertion: func(ctx context.Context, target *auth.Target) (auth.Secret, error) {
			word, err := oauthex.ExchangeToken(ctx, known.IDPTokenEndpoint, &oauthex.TokenExchangeRequest{
				RequestedTokenType: oauthex.TokenTypeIDJAG,
				Audience:           target.Metadata.Issuer,
				Resource:           target.Resource,
				Scope:              target.Scopes,
				SubjectToken:       known.IDPIDToken,
				SubjectTokenType:   oauthex.TokenTypeIDToken,
			}, &oauthex.ClientCredentials{ClientID: known.IDPClientID}, nil)
			if err != nil {
				return "", err
			}
			return auth.Secret(word.AccessToken), nil
		},
	})
}
