package transport_test

import (
	"errors"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

func TestEnded(t *testing.T) {
	const closed = "the server has closed the connection"
	for text, want := range map[string]string{
		`connection closed: calling "tools/call": client is closing: EOF`:                              closed,
		`connection closed: calling "logging/setLevel": client is closing: EOF`:                        closed,
		`connection closed: calling "notifications/roots/list_changed": EOF`:                           closed,
		`connection closed: calling "tools/call": client is closing: the process exited with status 3`: `connection closed: calling "tools/call": the process exited with status 3`,
		`calling "tools/call": unexpected EOF`:                                                         `calling "tools/call": unexpected EOF`,
	} {
		err := errors.New(text)
		got := transport.Ended(err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%s became %q, want %q", text, got, want)
		}
	}
}
