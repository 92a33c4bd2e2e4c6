//go:build unix

package stdio

import (
	"bufio"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// Where waiting cannot be had without reaping, a group works all the same.
func TestGroupReapedEarly(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "exit 7")
	prepare(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := newGroup(cmd)
	g.waitAndReap()
	g.terminate()
	g.kill()
	var exit *exec.ExitError
	if err := g.reap(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("reap: %v", err)
	}
	if awaitExit(cmd.Process.Pid) {
		t.Error("waited for a process that is gone")
	}
}

// The number of a group whose leader was reaped may be that of strangers.
func TestGroupIsLeftAloneOnceReaped(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "exec 3<&0; (read line <&3; echo alive) &")
	prepare(cmd)
	ours, theirs, err := pipes(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(ours)
	err = cmd.Start()
	closeAll(theirs)
	if err != nil {
		t.Fatal(err)
	}
	g := newGroup(cmd)
	g.wait()
	if err := g.reap(); err != nil {
		t.Fatal(err)
	}
	g.terminate()
	g.kill()
	if _, err := ours[0].WriteString("are you there?\n"); err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(ours[1]).ReadString('\n'); err != nil {
		t.Errorf("the rest of the group was ended: got %q, %v", line, err)
	}
}

// A process is ended in three steps also if nobody waits for it: Close kills what
// outlives them, which would hide that one is missing.
func TestEscalationEndsTheProcess(t *testing.T) {
	p, err := Start(Command{
		Path: "/bin/sh", Args: []string{"-c", `trap "" TERM; echo '{"jsonrpc":"2.0","method":"ready"}'; while :; do sleep 1; done`},
		TerminateTimeout: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if _, err := bufio.NewReader(p.Reader()).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	p.closeOnce.Do(func() { close(p.closing) })
	select {
	case <-p.Done():
	case <-time.After(30 * time.Second):
		t.Error("it lives on")
	}
	if want := "was ended by signal: killed"; p.Exit() != want {
		t.Errorf("Exit %q, want %q", p.Exit(), want)
	}
}
