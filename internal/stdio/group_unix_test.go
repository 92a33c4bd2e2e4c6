//go:build unix

package stdio

import (
	"errors"
	"os/exec"
	"testing"
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
