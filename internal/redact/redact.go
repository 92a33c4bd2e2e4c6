package redact

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Hidden stands for what must not be shown.
const Hidden = "[hidden]"

// Replacer returns what puts texts in the places of values, by the value, and
// the length of the longest value in bytes.
func Replacer(texts map[string]string) (replacer *strings.Replacer, longest int) {
	// A value that holds another one must be replaced first.
	values := slices.SortedFunc(maps.Keys(texts), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, value := range values {
		pairs = append(pairs, value, texts[value])
		longest = max(longest, len(value))
	}
	return strings.NewReplacer(pairs...), longest
}

// A Redactor replaces values. Nil, which replaces nothing, is fine. It is safe
// for concurrent use.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor of the values, in the forms that texts have them in.
// It is nil if there are none.
func New(values []string) *Redactor {
	texts := map[string]string{}
	for _, v := range values {
		quoted := strconv.Quote(v)
		for _, form := range []string{v, strings.ToLower(v), url.QueryEscape(v), url.PathEscape(v), quoted[1 : len(quoted)-1]} {
			if form != "" {
				texts[form] = Hidden
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	replacer, _ := Replacer(texts)
	return &Redactor{replacer}
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
