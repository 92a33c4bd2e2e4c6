package stdio

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a process and all that it starts, held together by a job object.
// What the process starts in the instant before it is put into the job is not
// part of it. When the job cannot be made, the group is the process alone.
type group struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	job    windows.Handle // 0 for none
	reaped bool

	waitErr error
}

// prepare lets cmd be started so that it can be sent a CTRL_BREAK of its own.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// newGroup returns the group of a command that was started.
func newGroup(cmd *exec.Cmd) *group {
	g := &group{cmd: cmd}
	job, err := newJob()
	if err != nil {
		return g
	}
	var assignErr error
	err = cmd.Process.WithHandle(func(handle uintptr) {
		assignErr = windows.AssignProcessToJobObject(job, windows.Handle(handle))
	})
	if err != nil || assignErr != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// newJob returns a job whose processes end when its last handle is closed, if
// only because this process died.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// wait returns when the process has exited.
func (g *group) wait() { g.waitErr = g.cmd.Wait() }

// reap frees what the system keeps of the group. It must follow wait, and ends
// signalling. It returns the error of cmd.Wait.
func (g *group) reap() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reaped = true
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
	return g.waitErr
}

// terminate asks the group to exit. Without a console shared with it, it cannot
// be asked and is left to kill.
func (g *group) terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid))
	}
}

// kill ends the group at once.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.reaped:
	case g.job != 0:
		_ = windows.TerminateJobObject(g.job, 1)
	default:
		_ = g.cmd.Process.Kill()
	}
}
