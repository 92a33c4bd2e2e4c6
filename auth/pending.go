package auth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"
)

// pending are the authorizations that wait for [Handler.Complete], by state.
type pending map[string]waiting

type waiting struct {
	*attempt
	until time.Time
}

// maxPending bounds the authorizations that wait.
const maxPending = 16

// waiting returns the authorization that already waits for the same, so that
// its URL stays what it is, or nil.
func (h *Handler) waiting(t *Target, scopes []string) *attempt {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.pending {
		// Not one that would end while the user signs in.
		if time.Until(w.until) > h.opts.Timeout/2 && h.key(w.target) == h.key(t) && slices.Equal(w.scopes, scopes) {
			return w.attempt
		}
	}
	return nil
}

// keep makes an authorization wait.
func (h *Handler) keep(a *attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending == nil {
		h.pending = pending{}
	}
	now := time.Now()
	oldest := a.state
	h.pending[a.state] = waiting{a, now.Add(h.opts.Timeout)}
	for state, w := range h.pending {
		if now.After(w.until) {
			delete(h.pending, state)
		} else if w.until.Before(h.pending[oldest].until) {
			oldest = state
		}
	}
	if len(h.pending) > maxPending {
		delete(h.pending, oldest)
	}
}

// Complete takes the query of the redirect that a user came back with from the
// URL of an [ErrRequired], and gets the token. It works once for each URL, for
// as long as Options.Timeout, and only on the handler that the error is from.
func (h *Handler) Complete(ctx context.Context, query url.Values) error {
	u, ok := h.grant.(*user)
	if !ok {
		return &Error{Kind: ErrOptions, Err: errors.New("no user signs in with this handler")}
	}
	h.mu.Lock()
	w, ok := h.pending[query.Get("state")]
	delete(h.pending, query.Get("state"))
	since := h.signOuts
	h.mu.Unlock()
	if !ok || time.Now().After(w.until) {
		return &Error{Kind: ErrDeclined, Err: errors.New("no authorization waits for this redirect: it is too old, was completed before, or is from somebody else")}
	}
	var record *Record
	err := detached(ctx, min(h.opts.Timeout, DefaultMachineTimeout), h.ended, func(ctx context.Context) (err error) {
		record, err = u.redeem(ctx, h, w.attempt, query)
		if err == nil {
			err = h.save(ctx, w.target, record, since)
		}
		return err
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if since != h.signOuts {
		return w.target.fail(ErrDeclined, errSignedOut)
	}
	h.target, h.record, h.failed = w.target, record, failure{}
	return nil
}
