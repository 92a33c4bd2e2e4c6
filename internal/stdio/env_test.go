package stdio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironmentOf(t *testing.T) {
	parent := []string{
		"PATH=/bin", "HOME=/home/me", "LC_ALL=C", "LC_EVIL=() { :; }", "SHELL=() { :; }",
		"AWS_SECRET_ACCESS_KEY=x", "TERM=", "SYSTEMROOT=C:\\Windows", "APPDATA=C:\\me", "=C:=C:\\",
	}
	lookup := func(name string) (string, bool) {
		for _, entry := range parent {
			if key, value, _ := strings.Cut(entry, "="); key == name {
				return value, true
			}
		}
		return "", false
	}
	tests := []struct {
		name    string
		windows bool
		extra   map[string]string
		want    []string
	}{
		{"inherited", false, nil, []string{"HOME=/home/me", "LC_ALL=C", "PATH=/bin", "TERM="}},
		{"extra wins", false, map[string]string{"PATH": "/own", "Path": "other", "F": "() kept"},
			[]string{"F=() kept", "HOME=/home/me", "LC_ALL=C", "PATH=/own", "Path=other", "TERM="}},
		{"windows", true, nil, []string{"APPDATA=C:\\me", "PATH=/bin", "SYSTEMROOT=C:\\Windows"}},
		{"windows, other case", true, map[string]string{"Path": "/own"},
			[]string{"APPDATA=C:\\me", "Path=/own", "SYSTEMROOT=C:\\Windows"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := environment(lookup, parent, tt.extra, tt.windows)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := "/bin"
			if tt.extra != nil {
				want = "/own"
			}
			if got := variable(got, "PATH", tt.windows); got != want {
				t.Errorf("PATH is %q, want %q", got, want)
			}
		})
	}
	// Of a parent that has whatever one asks for, no more is passed on than this.
	for windows, want := range map[bool]string{
		false: "HOME LANG LANGUAGE LOGNAME PATH SHELL TERM TMPDIR TZ USER",
		true: "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMFILES " +
			"SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR",
	} {
		all, err := environment(func(string) (string, bool) { return "x", true }, nil, nil, windows)
		if got := strings.ReplaceAll(strings.Join(all, " "), "=x", ""); err != nil || got != want {
			t.Errorf("passed on: %s, %v, want %s", got, err, want)
		}
	}
	if got := variable([]string{"Path=x"}, "PATH", false); got != "" {
		t.Errorf("PATH is %q", got)
	}
}
