package main

import (
	"context"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const (
	grantJWTBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	assertionJWTBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	tokenIDJAG         = "urn:ietf:params:oauth:token-type:id-jag"
)

// clientSecret signs a machine in by a secret: the SDK's own handler.
func clientSecret(known given) (auth.OAuthHandler, error) {
	return extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID:         known.ClientID,
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: known.ClientSecret},
		},
	})
}

// clientAssertion signs a machine in by a key (RFC 7523, section 2.2).
func clientAssertion(known given) (auth.OAuthHandler, error) {
	key, err := jwt.ParseECPrivateKeyFromPEM([]byte(known.PrivateKeyPEM))
	if err != nil {
		return nil, err
	}
	return &machine{grant: func(ctx context.Context, resource *oauthex.ProtectedResourceMetadata, from *oauthex.AuthServerMeta) (*oauth2.Token, error) {
		now := time.Now()
		assertion, err := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.RegisteredClaims{
			Issuer:    known.ClientID,
			Subject:   known.ClientID,
			Audience:  jwt.ClaimStrings{from.Issuer},
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
			ID:        unique(),
		}).SignedString(key)
		if err != nil {
			return nil, err
		}
		return request(ctx, from.TokenEndpoint, oauth2.AuthStyleInParams, known.ClientID, "", resource.ScopesSupported, map[string]string{
			"resource":              resource.Resource,
			"client_assertion_type": assertionJWTBearer,
			"client_assertion":      assertion,
		})
	}}, nil
}

// workloadIdentity signs a machine in by what its platform says of it (RFC
// 7523, section 2.1).
func workloadIdentity(known given) (auth.OAuthHandler, error) {
	return &machine{grant: func(ctx context.Context, resource *oauthex.ProtectedResourceMetadata, from *oauthex.AuthServerMeta) (*oauth2.Token, error) {
		return request(ctx, from.TokenEndpoint, oauth2.AuthStyleInParams, known.ClientID, "", resource.ScopesSupported, map[string]string{
			"grant_type": grantJWTBearer,
			"resource":   resource.Resource,
			"assertion":  known.ValidJWT,
		})
	}}, nil
}

// enterprise exchanges what an identity provider says of a user for its word
// that the user may use the server, and that for a token (SEP-990). The SDK's
// handler for this does not do: it demands PKCE of the provider, and sends the
// secret in the form where these servers take it in the header only.
func enterprise(known given) (auth.OAuthHandler, error) {
	return &machine{grant: func(ctx context.Context, resource *oauthex.ProtectedResourceMetadata, from *oauthex.AuthServerMeta) (*oauth2.Token, error) {
		word, err := request(ctx, known.IDPTokenEndpoint, oauth2.AuthStyleInParams, known.IDPClientID, "", resource.ScopesSupported, map[string]string{
			"grant_type":           grantTokenExchange,
			"requested_token_type": tokenIDJAG,
			"audience":             from.Issuer,
			"resource":             resource.Resource,
			"subject_token":        known.IDPIDToken,
			"subject_token_type":   oauthex.TokenTypeIDToken,
		})
		if err != nil {
			return nil, err
		}
		return request(ctx, from.TokenEndpoint, oauth2.AuthStyleInHeader, known.ClientID, known.ClientSecret, resource.ScopesSupported, map[string]string{
			"grant_type": grantJWTBearer,
			"assertion":  word.AccessToken,
		})
	}}, nil
}
