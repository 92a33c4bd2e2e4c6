//go:build unix

package stdio_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

func TestStartErrors(t *testing.T) {
	const secret = "hush-hush-hush"
	dir := t.TempDir()
	file := func(name string, mode fs.FileMode, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	notExecutable := file("not-executable", 0o644, "#!/bin/sh\n")
	noInterpreter := file("no-interpreter", 0o755, "#!/no/such/interpreter\n")
	noProgram := file("no-program", 0o755, "hello\n")

	tests := []struct {
		name    string
		command stdio.Command
		says    string
		is      error
	}{
		{"none", stdio.Command{}, "no command", nil},
		{"not in PATH", stdio.Command{Path: "no-such-command-anywhere"}, `command "no-such-command-anywhere" was not found in PATH`, exec.ErrNotFound},
		{"with arguments", stdio.Command{Path: "npx -y server"}, `no shell splits it: if "npx" is the program`, exec.ErrNotFound},
		{"with arguments that hold a slash", stdio.Command{Path: "npx -y @modelcontextprotocol/server"}, `no shell splits it: if "npx" is the program`, fs.ErrNotExist},
		{"path with arguments", stdio.Command{Path: "/bin/sh\t-c x"}, `no shell splits it: if "/bin/sh" is the program`, fs.ErrNotExist},
		{"empty PATH", stdio.Command{Path: "sh", Env: map[string]string{"PATH": ""}}, `command "sh" was not found in PATH`, exec.ErrNotFound},
		{"relative PATH", stdio.Command{Path: "sh", Env: map[string]string{"PATH": "../../bin:."}}, "was not found", exec.ErrNotFound},
		{"denied in PATH", stdio.Command{Path: "not-executable", Env: map[string]string{"PATH": dir}}, "not executable", fs.ErrPermission},
		{"missing", stdio.Command{Path: dir + "/missing"}, "does not exist", fs.ErrNotExist},
		{"missing in directory", stdio.Command{Path: "./missing", Dir: dir}, dir + `/missing" does not exist`, fs.ErrNotExist},
		{"denied", stdio.Command{Path: notExecutable}, "may not be executed", fs.ErrPermission},
		{"directory", stdio.Command{Path: dir}, "is a directory", fs.ErrPermission},
		{"interpreter", stdio.Command{Path: noInterpreter}, "interpreter", fs.ErrNotExist},
		{"format", stdio.Command{Path: noProgram}, "exec format error", syscall.ENOEXEC},
		{"no working directory", stdio.Command{Path: "sh", Dir: dir + "/missing"}, "working directory", fs.ErrNotExist},
		{"file as working directory", stdio.Command{Path: "sh", Dir: noProgram}, "not a directory", syscall.ENOTDIR},
		{"below a file", stdio.Command{Path: "sh", Dir: noProgram + "/x"}, "cannot be used", syscall.ENOTDIR},
		{"bad name", stdio.Command{Path: "sh", Env: map[string]string{"A=B": "x"}}, `"A=B"`, nil},
		{"bad value", stdio.Command{Path: "sh", Env: map[string]string{"KEY": secret + "\x00"}}, `"KEY"`, nil},
		{"bad argument", stdio.Command{Path: "sh", Args: []string{secret + "\x00"}}, "starting command", syscall.EINVAL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leak.Check(t)
			if tt.command.Env == nil {
				tt.command.Env = map[string]string{}
			}
			tt.command.Env["SECRET"] = secret
			p, err := stdio.Start(tt.command)
			if err == nil {
				p.Kill()
				t.Fatal("it started")
			}
			if !strings.HasPrefix(err.Error(), "stdio: ") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q does not say %q", err, tt.says)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("error %q tells a secret", err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %q is not %q", err, tt.is)
			}
		})
	}
}

// The PATH that counts is the one that the server gets.
func TestStartLooksInItsOwnPath(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho '" + message("found") + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "only-here"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := stdio.Start(stdio.Command{
		Path: "only-here",
		Env:  map[string]string{"PATH": dir + string(os.PathListSeparator) + os.Getenv("PATH")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	b := make([]byte, 1000)
	n, err := p.Reader().Read(b)
	if err != nil || string(b[:n]) != message("found")+"\n" {
		t.Errorf("got %q, %v", b[:n], err)
	}
}

func TestStartWithoutFiles(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	leak.Check(t)
	files := openFiles(t)
	low := limit
	assign(&low.Cur, files+2) // enough for one pipe
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	_, err := stdio.Start(stdio.Command{Path: "/bin/sh"})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) {
		t.Errorf("got %v, want EMFILE", err)
	}
}

// assign assigns n to a number that is signed on some systems only.
func assign[T int64 | uint64](to *T, n int) { *to = T(n) }
