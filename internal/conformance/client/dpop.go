package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// signInBound is like signIn with a user, but with tokens that are bound to a
// key (DPoP, RFC 9449).
func signInBound(ctx context.Context, in input) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &prover{key: key, next: http.DefaultTransport, nonces: map[string]string{}}}
	handler, err := newUser(in.Context, client)
	if err != nil {
		return err
	}
	return useProtected(ctx, in, config.StreamableHTTP{OAuthHandler: handler, HTTP: config.HTTP{Client: client}})
}

// A prover is a RoundTripper that proves with every request that whoever sends
// it has the key.
type prover struct {
	key  *ecdsa.PrivateKey
	next http.RoundTripper

	mu     sync.Mutex
	nonces map[string]string // the last of each host
}

// RoundTrip sends the request again, once, if the server wants a nonce in the
// proof.
func (p *prover) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	nonce := p.nonces[req.URL.Host]
	p.mu.Unlock()
	resp, err := p.send(req, body, nonce)
	if err != nil {
		return nil, err
	}
	given := resp.Header.Get("DPoP-Nonce")
	if given == "" || given == nonce {
		return resp, nil
	}
	p.mu.Lock()
	p.nonces[req.URL.Host] = given
	p.mu.Unlock()
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusBadRequest {
		return resp, nil
	}
	resp.Body.Close()
	return p.send(req, body, given)
}

func (p *prover) send(req *http.Request, body []byte, nonce string) (*http.Response, error) {
	own := req.Clone(req.Context())
	if req.Body != nil {
		own.Body = io.NopCloser(bytes.NewReader(body))
	}
	token, bearer := strings.CutPrefix(own.Header.Get("Authorization"), "Bearer ")
	if bearer {
		own.Header.Set("Authorization", "DPoP "+token)
	}
	proof, err := p.prove(own, token, nonce)
	if err != nil {
		return nil, fmt.Errorf("DPoP: %w", err)
	}
	own.Header.Set("DPoP", proof)
	return p.next.RoundTrip(own)
}

// prove returns a proof for one request (section 4.2).
func (p *prover) prove(req *http.Request, token, nonce string) (string, error) {
	point, err := p.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	target := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	claims := jwt.MapClaims{
		"jti": rand.Text(),
		"htm": req.Method,
		"htu": target.String(),
		"iat": time.Now().Unix(),
	}
	if token != "" {
		hash := sha256.Sum256([]byte(token))
		claims["ath"] = encode(hash[:])
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	proof := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	proof.Header["typ"] = "dpop+jwt"
	proof.Header["jwk"] = map[string]string{
		"kty": "EC",
		"crv": "P-256",
		"x":   encode(point[1:33]),
		"y":   encode(point[33:]),
	}
	return proof.SignedString(p.key)
}
