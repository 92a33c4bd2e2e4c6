package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "quickstart.exe")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stderr = os.Stderr
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// process is a run of the program. What it prints is in stdout and stderr, or
// all of it, in the order of printing, in stdout.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr printed
}

// start runs the program without a terminal and with both streams in one.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := command(t, args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stdout
	p.start()
	return p
}

// startApart runs the program without a terminal and with a stream for each.
func startApart(t *testing.T, args ...string) *process {
	t.Helper()
	p := command(t, args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.start()
	return p
}

// command returns a run to be started, with nothing of OpenAI in its
// environment.
func command(t *testing.T, args ...string) *process {
	p := &process{t: t, cmd: exec.Command(binary, args...)}
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OPENAI_") })
	return p
}

func (p *process) start() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.cmd.Process.Kill() })
}

// wait waits for the program to end with the exit status, and with no process
// left behind.
func (p *process) wait(status int) {
	p.t.Helper()
	hung := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() })
	defer hung.Stop()
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		p.t.Fatalf("exit status %d, want %d (%v):\n%s%s", got, status, p.cmd.ProcessState, &p.stdout, &p.stderr)
	}
	if left := libraries(p.t); len(left) > 0 {
		p.t.Errorf("processes are left: %v", left)
	}
}

// libraries returns the ids of the running servers that are processes, on
// Linux.
func libraries(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, file := range files {
		// those that have ended meanwhile are no longer there
		if line, err := os.ReadFile(file); err == nil && string(line) == binary+"\x00serve-library\x00" {
			ids = append(ids, filepath.Base(filepath.Dir(file)))
		}
	}
	return ids
}

// printed is what a program has printed so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed when there is
}

func (p *printed) Write(b []byte) (int, error) {
	p.change(func() { p.text.Write(b) })
	return len(b), nil
}

// set makes it all that has been printed.
func (p *printed) set(text string) {
	p.change(func() {
		p.text.Reset()
		p.text.WriteString(text)
	})
}

func (p *printed) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
	if p.more != nil {
		close(p.more)
		p.more = nil
	}
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// until waits for a text to be printed.
func (p *printed) until(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		if strings.Contains(p.text.String(), want) {
			p.mu.Unlock()
			return
		}
		if p.more == nil {
			p.more = make(chan struct{})
		}
		more := p.more
		p.mu.Unlock()
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%q was never printed; but:\n%s", want, p)
		}
	}
}
