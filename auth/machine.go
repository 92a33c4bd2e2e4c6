package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	grantJWTBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	assertionJWTBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

	// methodKey is private_key_jwt of OpenID Connect, section 9.
	methodKey = "private_key_jwt"
)

// MachineOptions say how a program signs in on its own behalf. ClientID is
// required, and one of ClientSecret, Key and Assertion.
type MachineOptions struct {
	Options

	// ClientID is that of a client that was registered beforehand.
	ClientID string

	// ClientSecret identifies the client by a secret.
	ClientSecret Secret

	// Key identifies the client by a JWT that it signs (RFC 7523, section
	// 2.2): an *ecdsa.PrivateKey on P-256, P-384 or P-521, an *rsa.PrivateKey
	// or an ed25519.PrivateKey. KeyID is the name of the key, if the
	// authorization server wants one.
	Key   crypto.PrivateKey
	KeyID string

	// Assertion, when set, returns what somebody else says of this program or
	// its user, such as its platform or the identity provider of its company:
	// a JWT for the authorization server of the target (RFC 7523, section
	// 2.1). It takes the place of the client credentials grant; ClientSecret
	// still identifies the client, if it is set.
	Assertion func(ctx context.Context, target *Target) (Secret, error)

	// Issuer is the authorization server that the credentials are for. When it
	// is set, no other is signed in to. It should be, since the MCP server says
	// who they are sent to.
	Issuer string
}

// Format writes nothing secret, for every verb: a Key may be bytes.
func (MachineOptions) Format(f fmt.State, _ rune) { fmt.Fprint(f, "auth machine options") }

// MarshalText returns what Format writes.
func (MachineOptions) MarshalText() ([]byte, error) { return []byte("auth machine options"), nil }

// NewMachine returns a handler that signs in without a user (client
// credentials grant, or JWT bearer grant). An error is an [*Error] of kind
// [ErrOptions].
func NewMachine(options *MachineOptions) (*Handler, error) {
	var o MachineOptions
	if options != nil {
		o = *options
	}
	invalid := func(problem string) (*Handler, error) {
		return nil, &Error{Kind: ErrOptions, Err: errors.New(problem)}
	}
	if problem := o.problem(); problem != "" {
		return invalid(problem)
	}
	m := &machine{o: o}
	switch {
	case o.ClientID == "":
		return invalid("ClientID is required")
	case o.ClientSecret == "" && o.Key == nil && o.Assertion == nil:
		return invalid("set ClientSecret, Key or Assertion")
	case o.ClientSecret != "" && o.Key != nil:
		return invalid("ClientSecret and Key are both set: a client has one way to identify itself")
	}
	if o.Key != nil {
		if m.signing = signingMethod(o.Key); m.signing == nil {
			return invalid(fmt.Sprintf("Key is of type %T, which this package cannot sign with", o.Key))
		}
	}
	return newHandler(o.Options, m, DefaultMachineTimeout), nil
}

func signingMethod(key crypto.PrivateKey) jwt.SigningMethod {
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		switch k.Curve.Params().BitSize {
		case 256:
			return jwt.SigningMethodES256
		case 384:
			return jwt.SigningMethodES384
		case 521:
			return jwt.SigningMethodES512
		}
	case *rsa.PrivateKey:
		return jwt.SigningMethodRS256
	case ed25519.PrivateKey:
		return jwt.SigningMethodEdDSA
	}
	return nil
}

// machine is the grant of [NewMachine].
type machine struct {
	o       MachineOptions
	signing jwt.SigningMethod
}

func (m *machine) client() string { return m.o.ClientID }

func (*machine) interactive() bool { return false }

func (m *machine) credentials(c Client) Client {
	c.Secret = m.o.ClientSecret
	return c
}

func (m *machine) obtain(ctx context.Context, h *Handler, t *Target, scopes []string, _ *Record) (*Record, error) {
	if err := checkBound(m.o.Issuer, t); err != nil {
		return nil, err
	}
	c := Client{ID: m.o.ClientID, Method: secretMethod(m.o.ClientSecret, t.Metadata.TokenEndpointAuthMethodsSupported)}
	parameters := url.Values{"grant_type": {"client_credentials"}, "resource": {t.Resource}}
	if m.o.Assertion != nil {
		given := *t
		assertion, err := m.o.Assertion(ctx, &given)
		if err != nil {
			return nil, t.fail(ErrToken, fmt.Errorf("the assertion: %w", err))
		}
		parameters.Set("grant_type", grantJWTBearer)
		parameters.Set("assertion", string(assertion))
	}
	if m.signing != nil {
		assertion, err := m.assertion(t)
		if err != nil {
			return nil, t.fail(ErrToken, fmt.Errorf("the key cannot sign: %w", err))
		}
		c.Method = methodKey
		parameters.Set("client_assertion_type", assertionJWTBearer)
		parameters.Set("client_assertion", assertion)
	}
	token, err := requestToken(ctx, h.opts.HTTPClient, t, m.credentials(c), scopes, parameters)
	if err != nil {
		return nil, err
	}
	token.RefreshToken = "" // RFC 6749, section 4.4.3: there should be none
	return newRecord(token, c, scopes, nil), nil
}

// assertionLife is for how long an assertion of ours can be used.
const assertionLife = time.Minute

// assertion returns a JWT that says who this client is (RFC 7523, section 3).
func (m *machine) assertion(t *Target) (string, error) {
	now := time.Now()
	token := jwt.NewWithClaims(m.signing, jwt.RegisteredClaims{
		Issuer:    m.o.ClientID,
		Subject:   m.o.ClientID,
		Audience:  jwt.ClaimStrings{t.Metadata.Issuer},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(assertionLife)),
		ID:        rand.Text(),
	})
	if m.o.KeyID != "" {
		token.Header["kid"] = m.o.KeyID
	}
	return token.SignedString(m.o.Key)
}
