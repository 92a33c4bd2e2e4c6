package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// obtained is the result of an authorization.
type obtained struct {
	target *Target
	record *Record
}

func (h *Handler) key(t *Target) Key {
	return Key{Issuer: t.Metadata.Issuer, Resource: t.Resource, Client: h.grant.client(), Identity: h.opts.Identity}
}

// obtain gets a token by the way that bothers the user least: from the store,
// by the refresh token, or by a new authorization.
func (h *Handler) obtain(ctx context.Context, server *url.URL, c challenge, n need, since signOuts) (*obtained, error) {
	alone, cancel := h.alone(ctx)
	defer cancel()
	t, err := discover(alone, h.opts.HTTPClient, server, c.metadataURL)
	if err != nil {
		return nil, h.bounded(alone, server, err)
	}
	known, err := h.opts.Store.Load(alone, h.key(t))
	if err != nil {
		return nil, t.fail(ErrStore, err)
	}
	h.mu.Lock()
	current, previous := h.record, h.target
	h.mu.Unlock()
	if known == nil && current != nil && h.key(previous) == h.key(t) {
		known = current // the store has lost it
	}
	refusals := h.refusals(current, n)
	if refusals > 1 {
		return nil, t.fail(ErrRefused, errors.New("each of several new tokens was refused soon after it had been issued"))
	}
	if !n.stepUp && refusals == 0 {
		switch renewed, err := h.renew(alone, t, known, n.rejected, since); {
		case err == nil && renewed != nil:
			return &obtained{t, renewed}, nil
		case err != nil && !refused(err):
			return nil, err
		case err != nil:
			h.opts.Logger.Info("the refresh token was refused, a new authorization is needed", "server", t.Server, "code", oauthCode(err))
			if code := oauthCode(err); code == "invalid_client" || code == "unauthorized_client" {
				known = nil // the registration is gone, too
			}
		}
	}
	scopes, err := h.scopes(t, c, n, known)
	if err != nil {
		return nil, err
	}
	record, err := h.grant.obtain(ctx, h, t, scopes, known)
	if err != nil {
		return nil, h.bounded(ctx, server, err)
	}
	if err := h.save(ctx, t, record, since); err != nil {
		return nil, err
	}
	return &obtained{t, record}, nil
}

// alone bounds what is done without the user, who is not to be waited for as
// long when servers do not answer.
func (h *Handler) alone(ctx context.Context) (context.Context, context.CancelFunc) {
	d := min(h.opts.Timeout, DefaultMachineTimeout)
	return context.WithTimeoutCause(ctx, d, errBound{d})
}

// refusals counts the tokens that were refused one after the other though they
// were new. The user is not asked again and again for a server that takes none.
func (h *Handler) refusals(current *Record, n need) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if current == nil || n.stepUp || n.rejected != current.Token.AccessToken || !usable(current) ||
		time.Since(current.Obtained) >= h.opts.RetryAfter {
		h.fresh = 0
		return 0
	}
	h.fresh++
	return h.fresh - 1
}

// scopes returns what to ask for: what the server asks for, or else what its
// metadata name, together with what was granted before (SEP-2350).
func (h *Handler) scopes(t *Target, c challenge, n need, known *Record) ([]string, error) {
	scopes := c.scopes
	if len(scopes) == 0 {
		scopes = t.Scopes
	}
	var asked []string
	if known != nil {
		asked = known.Asked
		scopes = union(known.Granted, scopes)
	}
	// https://modelcontextprotocol.io/seps/2207-oidc-refresh-token-guidance
	if h.grant.interactive() && slices.Contains(t.Metadata.ScopesSupported, "offline_access") {
		scopes = union(scopes, []string{"offline_access"})
	}
	if h.opts.Scopes != nil {
		scopes = union(h.opts.Scopes(slices.Clone(scopes)))
	}
	if n.stepUp && known != nil && known.Token.AccessToken == n.rejected && covers(asked, scopes) {
		return nil, t.fail(ErrRefused, fmt.Errorf("the server wants scopes that were asked for already: %s", clean(fmt.Sprint(scopes))))
	}
	return scopes, nil
}

// renew returns the token that somebody else has put into the store, or one by
// the refresh token. It returns nil if there is no way but a new authorization.
func (h *Handler) renew(ctx context.Context, t *Target, known *Record, rejected string, since signOuts) (*Record, error) {
	if known == nil {
		return nil, nil
	}
	adoptable := func() bool { return known.Token.AccessToken != rejected && usable(known) }
	if adoptable() {
		return known, nil
	}
	if locker, ok := h.opts.Store.(Locker); ok {
		unlock, locked := locker.Lock(ctx, h.key(t))
		if locked == nil {
			defer unlock()
		}
		latest, err := h.opts.Store.Load(ctx, h.key(t))
		// A token that could not be stored is nobody else's, and needs no lock.
		if err == nil && (latest != nil || ctx.Err() != nil) {
			err = locked
		}
		if err != nil {
			return nil, t.fail(ErrStore, err)
		}
		if latest != nil {
			known = latest
		}
		if adoptable() {
			return known, nil
		}
	}
	if known.Token.RefreshToken == "" {
		return nil, nil
	}
	record, err := refresh(ctx, h.opts.HTTPClient, t, h.grant.credentials(known.Client), known)
	if err != nil {
		return nil, err
	}
	if err := h.save(ctx, t, record, since); err != nil {
		return nil, err
	}
	return record, nil
}

// save puts a record into the store. If that fails the token is used all the
// same: it may be the only one left. An error says that the user has signed out
// since, so that the record is of no use.
func (h *Handler) save(ctx context.Context, t *Target, record *Record, since signOuts) error {
	if h.signedOut(since) {
		return h.drop(ctx, t, record)
	}
	if err := h.opts.Store.Save(ctx, h.key(t), record); err != nil {
		h.opts.Logger.Error("the sign-in cannot be stored and will not outlive this program", "server", t.Server, "error", err)
	}
	if h.signedOut(since) {
		return h.drop(ctx, t, record)
	}
	return nil
}

// bounded tells the end of the bound from other failures.
func (h *Handler) bounded(ctx context.Context, server *url.URL, err error) error {
	var e *Error
	if ctx.Err() != nil && (!errors.As(err, &e) || e.Kind != ErrTimeout) {
		return &Error{Kind: ErrTimeout, Server: resourceURL(server).String(), Err: context.Cause(ctx)}
	}
	return err
}

// refreshAhead begins to refresh a token that is about to expire, in the last
// fifth of its life but not more than a minute before its end. h.mu is held.
func (h *Handler) refreshAhead() {
	r := h.record
	if h.flight != nil || r.Token.Expiry.IsZero() || r.Obtained.IsZero() || h.grant.interactive() && r.Token.RefreshToken == "" {
		return
	}
	now := time.Now()
	ahead := min(r.Token.Expiry.Sub(r.Obtained)/5, time.Minute)
	if left := r.Token.Expiry.Sub(now); left <= 0 || left > ahead || now.Before(h.failed.until) {
		return
	}
	f := &flight{silent: true, since: h.signOuts, done: make(chan struct{})}
	h.flight = f
	target := h.target
	go func() {
		var got *obtained
		err := detached(context.Background(), min(h.opts.Timeout, DefaultMachineTimeout), h.ended, func(ctx context.Context) error {
			record, err := h.ahead(ctx, target, r, f.since)
			got = &obtained{target, record}
			return err
		})
		if err != nil {
			h.opts.Logger.Warn("a token could not be refreshed ahead of its end", "server", target.Server, "error", err)
			h.mu.Lock()
			if f.since == h.signOuts {
				h.failed.until = now.Add(h.opts.RetryAfter)
			}
			h.mu.Unlock()
		}
		h.land(f, got, err)
	}()
}

func (h *Handler) ahead(ctx context.Context, t *Target, r *Record, since signOuts) (*Record, error) {
	if !h.grant.interactive() {
		record, err := h.grant.obtain(ctx, h, t, r.Asked, r)
		if err == nil {
			err = h.save(ctx, t, record, since)
		}
		return record, err
	}
	record, err := h.renew(ctx, t, r, r.Token.AccessToken, since)
	if err == nil && record == nil {
		err = errors.New("there is no refresh token")
	}
	return record, err
}
