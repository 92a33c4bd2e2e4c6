package redact_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
)

const secret = `Planted"secret /1`

func TestText(t *testing.T) {
	r := redact.New([]string{"secret", secret})
	for text, want := range map[string]string{
		"a " + secret + " b":                              "a [hidden] b",
		fmt.Sprintf("a %q b", secret):                     `a "[hidden]" b`,
		"a Planted%22secret+%2F1 Planted%22secret%20%2F1": "a [hidden] [hidden]",
		"lookup " + strings.ToLower(secret):               "lookup [hidden]",
		"a secret of its own":                             "a [hidden] of its own",
		"nothing":                                         "nothing",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if got := redact.New(nil).Text(secret); got != secret {
		t.Errorf("nothing to hide makes %q of it", got)
	}
}

func TestError(t *testing.T) {
	r := redact.New([]string{secret})
	err := fmt.Errorf("opening: %w", &fs.PathError{Op: "stat", Path: secret, Err: fs.ErrNotExist})
	if got := r.Error(err); got.Error() != "opening: stat [hidden]: file does not exist" || !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("error %v", got)
	}
	plain := errors.New("nothing")
	if r.Error(plain) != plain || r.Error(nil) != nil || (*redact.Redactor)(nil).Error(err) != err {
		t.Error("what need not be changed is changed")
	}
}

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	l := redact.New([]string{secret}).Logger(slog.New(slog.NewTextHandler(&b, nil)))
	l.With("with", secret).WithGroup("g").Error(secret, "error", errors.New(secret), slog.Group("h", "text", secret, "n", 1), "other", []int{2})
	if text := b.String(); strings.Contains(text, "secret") || strings.Count(text, "[hidden]") != 4 || !strings.Contains(text, "g.h.n=1 g.other=[2]") {
		t.Errorf("logged: %d bytes, %d hidden", len(text), strings.Count(text, "[hidden]"))
	}
}
