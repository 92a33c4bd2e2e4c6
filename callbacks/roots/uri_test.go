package roots

import (
	"net/url"
	"testing"
)

func TestRootOf(t *testing.T) {
	t.Parallel()
	const unix, windows = false, true
	for _, tt := range []struct {
		windows         bool
		path, uri, name string // uri is empty where there is none
	}{
		{unix, "/home/me", "file:///home/me", "me"},
		{unix, "/", "file:///", "/"},
		{unix, "/a b/ü", "file:///a%20b/%C3%BC", "ü"},
		{unix, "/100%/a#b?c", "file:///100%25/a%23b%3Fc", "a#b?c"},
		{unix, "/%2e%2e/x", "file:///%252e%252e/x", "x"},
		{unix, `/back\slash/C:\x`, `file:///back%5Cslash/C:%5Cx`, `C:\x`},
		{unix, "/\xff\n", "file:///%FF%0A", "\uFFFD\n"},
		{unix, "/a\x00b", "", ""},
		{windows, `C:\Users\My Name`, "file:///C:/Users/My%20Name", "My Name"},
		{windows, `c:\`, "file:///c:/", "c:"},
		{windows, `C:/mixed\slashes`, "file:///C:/mixed/slashes", "slashes"},
		{windows, `\\host\share`, "file://host/share", "share"},
		{windows, `\\host\share\`, "file://host/share", "share"},
		{windows, `\\host\share\a b`, "file://host/share/a%20b", "a b"},
		{windows, `\\wsl$\Debian\home`, "file://wsl$/Debian/home", "home"},
		{windows, `\\?\C:\Users\me`, "file:///C:/Users/me", "me"},
		{windows, `\\?\UNC\host\share\dir`, "file://host/share/dir", "dir"},
		{windows, `\\?\unc\host\share\dir`, "file://host/share/dir", "dir"},
		{windows, `\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\x`, "", ""},
		{windows, `\\.\pipe\x`, "", ""},
		{windows, `\\?\UNC\\share`, "", ""},
		{windows, `\\host`, "", ""},
		{windows, `C:`, "", ""},
		{windows, `1:\x`, "", ""},
		{windows, `\rooted`, "", ""},
	} {
		got, err := rootOf(tt.path, tt.windows)
		if got != (root{tt.uri, tt.name}) || (err != nil) != (tt.uri == "") {
			t.Errorf("%s: got %+v, %v, want %s", tt.path, got, err, tt.uri)
		}
		if tt.windows || err != nil {
			continue
		}
		if u, err := url.Parse(got.uri); err != nil || u.Path != tt.path || u.Host != "" {
			t.Errorf("%s does not mean %s: %v", got.uri, tt.path, err)
		}
	}
}
