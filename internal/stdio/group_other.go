//go:build !unix && !windows

package stdio

import "os/exec"

// A group is a single process where systems know nothing else.
type group struct {
	cmd     *exec.Cmd
	waitErr error
}

func prepare(*exec.Cmd) {}

func newGroup(cmd *exec.Cmd) *group { return &group{cmd: cmd} }

func (g *group) wait() { g.waitErr = g.cmd.Wait() }

func (g *group) reap() error { return g.waitErr }

func (g *group) terminate() {}

func (g *group) kill() { _ = g.cmd.Process.Kill() }
