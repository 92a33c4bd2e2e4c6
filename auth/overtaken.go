package auth

import (
	"context"
	"errors"
	"net/url"
)

// signOuts counts how often the user has signed out. What began when it was
// another number is overtaken: it must not sign them in again.
type signOuts uint64

var errSignedOut = errors.New("the user has signed out meanwhile")

func overtaken(server *url.URL) *Error {
	return &Error{Kind: ErrDeclined, Server: resourceURL(server).String(), Err: errSignedOut}
}

func (h *Handler) now() signOuts {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.signOuts
}

// signedOut reports whether the user has signed out since.
func (h *Handler) signedOut(since signOuts) bool { return h.now() != since }

// ask returns the context for a question to the user, which ends when they sign
// out.
func (h *Handler) ask(ctx context.Context) (asking context.Context, answered func()) {
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.flight != nil && h.flight.since != h.signOuts {
		cancel()
	}
	h.asking = cancel
	return ctx, func() {
		cancel()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asking = nil
	}
}

// drop makes sure that a record which came after the user had signed out is of
// no use to anybody, and returns the error for it.
func (h *Handler) drop(ctx context.Context, t *Target, record *Record) error {
	ctx, cancel := h.alone(context.WithoutCancel(ctx))
	defer cancel()
	stored, err := h.opts.Store.Load(ctx, h.key(t))
	if err == nil && stored != nil && stored.Token.AccessToken == record.Token.AccessToken {
		err = h.opts.Store.Delete(ctx, h.key(t))
	}
	if err = errors.Join(err, h.revoke(ctx, t, record)); err != nil {
		h.opts.Logger.Error("tokens that came after the user had signed out could not be dropped", "server", t.Server, "error", err)
	}
	return t.fail(ErrDeclined, errSignedOut)
}
