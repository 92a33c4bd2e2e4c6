package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// SignOut forgets the sign-in for the server at the URL, here and in the store,
// and tells the authorization server that its tokens are of no more use (RFC
// 7009), if that has an endpoint for it. An [Error] of kind [ErrRevocation] says
// that it could not be told; what is here is forgotten all the same.
//
// An authorization that is under way ends with an [Error] of kind [ErrDeclined],
// and a user who is being asked is asked no longer. Tokens that come later are
// neither used nor kept, and revoked as well. A refresh by another process that
// uses the same store is waited for, if the store is a [Locker].
//
// A handler that has not signed in yet looks for what the store has of an
// earlier one.
func (h *Handler) SignOut(ctx context.Context, server string) error {
	u, err := serverURL(server)
	if err != nil {
		return err
	}
	if err := h.bind(u); err != nil {
		return err
	}
	ctx, cancel := h.alone(ctx)
	defer cancel()
	h.lockLanded(ctx)
	target, record := h.target, h.record
	h.record, h.failed, h.fresh, h.pending = nil, failure{}, 0, nil
	h.signOuts++
	if h.asking != nil {
		h.asking()
	}
	h.mu.Unlock()
	if target == nil {
		if target, err = discover(ctx, h.opts.HTTPClient, u, ""); err != nil {
			return h.bounded(ctx, u, err)
		}
	}
	stored, err := h.take(ctx, target)
	if stored != nil {
		record = stored // somebody else may have refreshed it
	}
	if err != nil {
		err = target.fail(ErrStore, err)
	}
	if record == nil {
		return err
	}
	return errors.Join(err, h.revoke(ctx, target, record))
}

// take takes what the store has of the target, when nobody refreshes it.
func (h *Handler) take(ctx context.Context, t *Target) (*Record, error) {
	if locker, ok := h.opts.Store.(Locker); ok {
		// Without the lock it is better forgotten than kept.
		if unlock, err := locker.Lock(ctx, h.key(t)); err == nil {
			defer unlock()
		}
	}
	stored, err := h.opts.Store.Load(ctx, h.key(t))
	return stored, errors.Join(err, h.opts.Store.Delete(ctx, h.key(t)))
}

// lockLanded locks h.mu when no token is being refreshed ahead of its end, so that
// the caller is told whether it could be revoked, or when ctx has ended.
func (h *Handler) lockLanded(ctx context.Context) {
	for {
		h.mu.Lock()
		f := h.flight
		if f == nil || !f.silent {
			return
		}
		h.mu.Unlock()
		if !f.wait(ctx) {
			h.mu.Lock()
			return
		}
	}
}

// revoke tells the authorization server of both tokens: it need not take the
// end of one for that of the other.
func (h *Handler) revoke(ctx context.Context, t *Target, r *Record) error {
	endpoint := t.Metadata.RevocationEndpoint
	if endpoint == "" {
		return nil
	}
	server, err := url.Parse(t.Server)
	if err != nil {
		return t.fail(ErrRevocation, errors.New("the URL of the server does not parse"))
	}
	if err := reachable(server, endpoint); err != nil {
		return t.fail(ErrRevocation, err)
	}
	if r.Token.RefreshToken != "" {
		if err := h.revokeToken(ctx, t, r, "refresh_token", r.Token.RefreshToken); err != nil {
			return err
		}
	}
	err = h.revokeToken(ctx, t, r, "access_token", r.Token.AccessToken)
	if oauthCode(err) == "unsupported_token_type" {
		return nil // it ends by itself
	}
	return err
}

func (h *Handler) revokeToken(ctx context.Context, t *Target, r *Record, hint, token string) error {
	c := h.grant.credentials(r.Client)
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	switch c.Method {
	case methodBasic:
	case methodKey:
		assertion, err := h.grant.assertion(t)
		if err != nil {
			return t.fail(ErrRevocation, fmt.Errorf("the key cannot sign: %w", err))
		}
		form.Set("client_assertion_type", assertionJWTBearer)
		form.Set("client_assertion", assertion)
	case methodPost:
		form.Set("client_secret", string(c.Secret))
	}
	if c.Method != methodBasic {
		form.Set("client_id", c.ID)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Metadata.RevocationEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return t.fail(ErrRevocation, errors.New("the URL of the endpoint does not parse"))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.Method == methodBasic { // RFC 6749, section 2.3.1
		req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(string(c.Secret)))
	}
	resp, err := withoutRedirects(h.opts.HTTPClient).Do(req)
	if err != nil {
		return t.fail(ErrRevocation, errors.New(clean(withoutURL(err).Error(), token, string(c.Secret))))
	}
	defer discard(resp)
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	e := t.fail(ErrRevocation, fmt.Errorf("its endpoint answered with HTTP status %d", resp.StatusCode))
	e.Code = clean(errorCode(resp), token, string(c.Secret))
	return e
}
