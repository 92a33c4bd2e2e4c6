package leak

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// recorder is a testing.TB whose cleanups and failures are the test's to see.
type recorder struct {
	testing.TB
	cleanups []func()
	failures []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// left returns what the check says after f.
func left(t *testing.T, patience time.Duration, f func()) string {
	t.Helper()
	r := &recorder{TB: t}
	check(r, patience)
	f()
	for _, cleanup := range r.cleanups {
		cleanup()
	}
	return strings.Join(r.failures, "\n")
}

func TestCheckFinds(t *testing.T) {
	type leak struct {
		name string
		make func(t *testing.T)
		want string
	}
	leaks := []leak{
		{"goroutine", func(t *testing.T) {
			stop, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				<-stop
			}()
			t.Cleanup(func() { close(stop); <-done })
		}, "leak.TestCheckFinds.func"},
	}
	if runtime.GOOS == "linux" {
		leaks = append(leaks,
			leak{"file", func(t *testing.T) {
				file, err := os.Create(t.TempDir() + "/forgotten")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = file.Close() })
			}, "forgotten"},
			leak{"socket", func(t *testing.T) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = listener.Close() })
			}, "socket:"},
			leak{"process", func(t *testing.T) {
				process(t, "cat")
			}, "(cat)"},
			leak{"process that nobody waited for", func(t *testing.T) {
				if err := process(t, "cat").Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}, "nobody waited"},
		)
	}
	for _, leak := range leaks {
		t.Run(leak.name, func(t *testing.T) {
			got := left(t, 300*time.Millisecond, func() { leak.make(t) })
			if !strings.Contains(got, leak.want) {
				t.Errorf("check says %q, want %q in it", got, leak.want)
			}
		})
	}
}

// process starts a program that waits for its standard input, until the test
// ends.
func process(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestCheckPasses(t *testing.T) {
	tests := []struct {
		name string
		run  func(t *testing.T)
	}{
		{"nothing", func(*testing.T) {}},
		{"known before", func(t *testing.T) {
			file, err := os.Open("leak.go")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }()
			if got := left(t, time.Millisecond, func() {}); got != "" {
				t.Errorf("check says %q of a file that was open before", got)
			}
		}},
		{"about to end", func(t *testing.T) {
			go func() { <-time.After(50 * time.Millisecond) }()
		}},
		{"process that was waited for", func(t *testing.T) {
			if err := exec.Command("true").Run(); err != nil {
				t.Fatal(err)
			}
		}},
		{"idle connection", func(t *testing.T) {
			server := httptest.NewServer(http.NotFoundHandler())
			defer server.Close()
			response, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
		}},
		{"parallel subtests", func(t *testing.T) {
			for range 3 {
				t.Run("", func(t *testing.T) { t.Parallel() })
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			Check(t)
			test.run(t)
		})
	}
}

func TestCheckRefusesParallelTests(t *testing.T) {
	t.Run("parallel", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if recover() == nil {
				t.Error("Check did not panic in a parallel test")
			}
		}()
		Check(t)
	})
}
