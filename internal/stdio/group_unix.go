//go:build unix

package stdio

import (
	"os/exec"
	"sync"
	"syscall"
)

// A group is a process and all that it starts. Its number is that of its
// leader, and stays taken as long as the leader is not reaped: only until then
// is a signal to it sure to hit nobody else.
type group struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	reaped bool

	// Written by wait where the system can only wait and reap at once.
	waited  bool
	waitErr error
}

// prepare makes cmd the leader of a new group when it is started.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// newGroup returns the group of a command that was started.
func newGroup(cmd *exec.Cmd) *group { return &group{cmd: cmd} }

// wait returns when the leader has exited.
func (g *group) wait() {
	if !awaitExit(g.cmd.Process.Pid) {
		g.waitAndReap()
	}
}

// waitAndReap is wait for systems that cannot do only that.
func (g *group) waitAndReap() {
	g.waitErr = g.cmd.Wait()
	g.waited = true
}

// reap frees what the system keeps of the leader. It must follow wait, and ends
// signalling. It returns the error of cmd.Wait.
func (g *group) reap() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.waited {
		g.waitErr = g.cmd.Wait()
	}
	g.reaped = true
	return g.waitErr
}

// terminate asks the group to exit.
func (g *group) terminate() { g.signal(syscall.SIGTERM) }

// kill ends the group at once. It also ends processes that are stopped.
func (g *group) kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		// It fails only when there is nobody left, or nobody that this user may
		// signal, which Close notices by waiting in vain.
		_ = syscall.Kill(-g.cmd.Process.Pid, sig)
	}
}
