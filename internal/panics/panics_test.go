package panics_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

func panicking(logger *slog.Logger, recovered func(*slog.Logger, string, *error)) (err error) {
	defer recovered(logger, "Keep", &err)
	panic("boo")
}

func TestRecover(t *testing.T) {
	for name, test := range map[string]struct {
		recovered func(*slog.Logger, string, *error)
		says      string
		logs      string
	}{
		"named":   {panics.Recover, "Keep panicked: boo", "value=boo"},
		"unnamed": {panics.RecoverUnnamed, "Keep panicked with a string", `value="of type string"`},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			err := panicking(slog.New(slog.NewTextHandler(&b, nil)), test.recovered)
			if err == nil || err.Error() != test.says {
				t.Errorf("error %v", err)
			}
			if log := b.String(); !strings.Contains(log, test.logs) || !strings.Contains(log, "panics_test.panicking") {
				t.Errorf("logged %s", log)
			}
			if name == "unnamed" && strings.Contains(b.String(), "boo") {
				t.Errorf("logged the value: %s", b.String())
			}
		})
	}
	err := func() (err error) {
		defer panics.Recover(slog.New(slog.DiscardHandler), "Keep", &err)
		return nil
	}()
	if err != nil {
		t.Errorf("without a panic: %v", err)
	}
}
