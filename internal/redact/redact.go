package redact

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const hidden = "[hidden]"

// A Redactor replaces values. Nil, which replaces nothing, is fine. It is safe
// for concurrent use.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor of the values, in the forms that texts have them in.
// It is nil if there are none.
func New(values []string) *Redactor {
	var forms []string
	for _, v := range values {
		quoted := strconv.Quote(v)
		for _, form := range []string{v, strings.ToLower(v), url.QueryEscape(v), url.PathEscape(v), quoted[1 : len(quoted)-1]} {
			if form != "" && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	if len(forms) == 0 {
		return nil
	}
	// One that holds another must be replaced first.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, hidden)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text returns a text without the values.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	return r.replacer.Replace(s)
}

// Error returns an error whose text does not have the values, and which wraps
// err; err itself if that is so already.
func (r *Redactor) Error(err error) error {
	if r == nil || err == nil {
		return err
	}
	text := err.Error()
	if clean := r.Text(text); clean != text {
		return &redacted{clean, err}
	}
	return err
}

type redacted struct {
	text string
	err  error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.err }

// Logger returns a logger whose messages, texts and errors do not have the
// values.
func (r *Redactor) Logger(logger *slog.Logger) *slog.Logger {
	if r == nil {
		return logger
	}
	return slog.New(&handler{logger.Handler(), r})
}

type handler struct {
	slog.Handler
	r *Redactor
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	own := slog.NewRecord(record.Time, record.Level, h.r.Text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		own.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, own)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		own[i] = h.attr(a)
	}
	return &handler{h.Handler.WithAttrs(own), h.r}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.r}
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.r.Text(v.String()))
	case slog.KindGroup:
		var own []any
		for _, member := range v.Group() {
			own = append(own, h.attr(member))
		}
		return slog.Group(a.Key, own...)
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			return slog.Any(a.Key, h.r.Error(err))
		}
	}
	return a
}
