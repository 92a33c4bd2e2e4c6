package stdio

import (
	"fmt"
	"os"
	"time"
)

// supervise follows the process to its end: it escalates when Close was called,
// ends what is left of the group, reaps, and closes done. exited is closed when
// the leader has exited.
func (p *Process) supervise(exited <-chan struct{}) {
	var killAt time.Time // when the group has had its time, zero if not known yet
	select {
	case <-exited: // or was killed
	case <-p.closing:
		killAt = p.escalate(exited)
	}
	<-exited
	asked := p.asked.Load()
	_ = p.stdin.end()

	// The rest of the group goes with its leader, but is told first: it may have
	// been told nothing yet, or may be about to finish what it was told. Who holds
	// on to standard error is taken to be in the group.
	p.group.terminate()
	if killAt.IsZero() {
		killAt = time.Now().Add(p.command.WaitDelay)
	}
	await(time.Until(killAt), p.stderr.eof, p.killing)
	p.group.kill()
	err := p.group.reap()

	// Who still holds the pipes has left the group and may live as long as it likes.
	p.stdout.source.cut()
	p.stderr.source.cut()
	await(waitDelay, p.stderr.eof, nil)

	if !asked {
		p.err = err
	}
	p.exit = describe(p.group.cmd.ProcessState, err)
	p.command.Logger.Debug("ended", "command", p.command.Path, "pid", p.pid, "how", p.exit)
	close(p.done)
}

// escalate makes the leader exit. It returns when it has, or has been killed,
// with the time until which others of the group may do the same.
func (p *Process) escalate(exited <-chan struct{}) (killAt time.Time) {
	patience, last := p.command.TerminateTimeout, p.command.KillTimeout
	log := p.command.Logger.With("command", p.command.Path, "pid", p.pid)
	if await(patience, exited, nil) {
		return time.Now().Add(last)
	}
	log.Debug("is still running after its standard input was closed: sending SIGTERM")
	p.group.terminate()
	killAt = time.Now().Add(last)
	if await(last, exited, nil) {
		return killAt
	}
	log.Warn("is still running after SIGTERM: sending SIGKILL")
	p.group.kill()
	return killAt
}

// await waits until one of two channels is closed, and reports whether that was
// so within d. Either may be nil.
func await(d time.Duration, one, other <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-one:
	case <-other:
	case <-timer.C:
		return false
	}
	return true
}

// describe says how a process ended.
func describe(state *os.ProcessState, err error) string {
	switch {
	case state == nil:
		return "ended in an unknown way (" + err.Error() + ")"
	case state.Exited():
		return fmt.Sprintf("exited with status %d", state.ExitCode())
	}
	return "was ended by " + state.String()
}
