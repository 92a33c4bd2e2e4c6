package npmservers

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// fatalTB is a testing.TB whose Fatal can be watched.
type fatalTB struct {
	testing.TB
	message string
}

type stopped struct{}

func (tb *fatalTB) Fatal(args ...any) {
	tb.message = fmt.Sprint(args...)
	panic(stopped{})
}

func (tb *fatalTB) Fatalf(format string, args ...any) { tb.Fatal(fmt.Sprintf(format, args...)) }

// fatal returns the message with which f ends the test.
func fatal(t *testing.T, f func(testing.TB)) (message string) {
	t.Helper()
	tb := &fatalTB{TB: t}
	defer func() {
		if r := recover(); r != (stopped{}) {
			panic(r)
		}
		message = tb.message
	}()
	f(tb)
	panic("the test was not ended")
}

func TestFatal(t *testing.T) {
	broken := t.TempDir()
	for name, manifest := range map[string]string{
		"garbage":  `{`,
		"nothing":  `{}`,
		"vanished": `{"bin": {"x": "dist/index.js"}}`,
	} {
		dir := filepath.Join(broken, "node_modules", "@modelcontextprotocol", "server-"+name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		run  func(testing.TB)
		want []string
	}{
		{"not installed", func(tb testing.TB) { command(tb, t.TempDir(), Everything, nil) }, []string{"everything", install}},
		{"no such server", func(tb testing.TB) { Command(tb, "nonesuch") }, []string{"nonesuch", install}},
		{"broken manifest", func(tb testing.TB) { command(tb, broken, "garbage", nil) }, []string{"garbage", install}},
		{"no binary", func(tb testing.TB) { command(tb, broken, "nothing", nil) }, []string{"nothing", "0 executables", install}},
		{"binary vanished", func(tb testing.TB) { command(tb, broken, "vanished", nil) }, []string{"index.js", install}},
		{"no such transport", func(tb testing.TB) { StartHTTP(tb, "carrier-pigeon") }, []string{"carrier-pigeon", "did not start"}},
		{"no such program", func(tb testing.TB) { start(tb, exec.Command("/nonesuch")) }, []string{"/nonesuch"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			message := fatal(t, test.run)
			for _, want := range test.want {
				if !strings.Contains(message, want) {
					t.Errorf("message is %q, want %q in it", message, want)
				}
			}
		})
	}
}

func TestFatalWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	message := fatal(t, func(tb testing.TB) { Command(tb, Everything) })
	if !strings.Contains(message, install) {
		t.Errorf("message is %q, want %q in it", message, install)
	}
}

func TestServerEndsWithTest(t *testing.T) {
	leak.Check(t)
	var address string
	t.Run("running", func(t *testing.T) {
		u, err := url.Parse(StartHTTP(t, StreamableHTTP))
		if err != nil {
			t.Fatal(err)
		}
		address = u.Host
		if err := dial(address); err != nil {
			t.Fatalf("while the test runs: %v", err)
		}
	})
	if err := dial(address); err == nil {
		t.Errorf("%s still listens after the test", address)
	}
}

func dial(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func TestServerEndsWithStdin(t *testing.T) {
	node, args := Command(t, Everything, string(StreamableHTTP))
	cmd := exec.Command(node, append([]string{"--require", filepath.Join(packageDir(t), "listen.cjs")}, args...)...)
	cmd.Stdin = strings.NewReader("") // at its end at once, as after the death of the parent
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("server: %v\n%s", err, out)
	}
}
