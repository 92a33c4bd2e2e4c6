package stdio

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// waitDelay is how long to wait for what follows an exit at once unless
	// something is wrong: pipes that end, children that end with their parent.
	waitDelay = 200 * time.Millisecond

	// killWait is how long to wait for the system to end what was killed.
	killWait = 2 * time.Second
)

// running is what Exit says before there was one.
const running = "is running"

// A Process is a server that was started. It lives until it exits by itself or
// Close or Kill is called, one of which must be called even if it exits. All
// methods are safe for concurrent use.
type Process struct {
	command Command
	group   *group
	pid     int
	quote   *quoter
	stdin   *stdin
	stdout  *reader
	stderr  *stderrLog

	asked     atomic.Bool // whether this side has begun to end it
	closeOnce sync.Once
	closing   chan struct{} // closed by Close
	killOnce  sync.Once
	killing   chan struct{} // closed by Kill

	done chan struct{}
	// Written before done is closed.
	err  error
	exit string
}

// Start starts a server. The error says what was wrong with the command; it
// wraps exec.ErrNotFound, fs.ErrNotExist, fs.ErrPermission and the like.
func Start(command Command) (*Process, error) {
	command, cmd, err := command.build()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := pipes(cmd)
	if err != nil {
		return nil, fmt.Errorf("stdio: making pipes for command %q: %w", command.Path, err)
	}
	prepare(cmd)
	err = cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, spawnError(cmd, err)
	}

	quote := newQuoter(command.Env, command.Secrets)
	p := &Process{
		command: command,
		group:   newGroup(cmd),
		pid:     cmd.Process.Pid,
		quote:   quote,
		closing: make(chan struct{}),
		killing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	p.stdin = &stdin{file: ours[0], process: p}
	p.stdout = newReader(&source{file: ours[1]}, command.MaxLine, p.stray(quote), p.done)
	p.stderr = newStderrLog(&source{file: ours[2]}, command, quote)
	command.Logger.Debug("started", "command", command.Path, "pid", p.pid)

	exited := make(chan struct{})
	go func() {
		p.group.wait()
		close(exited)
	}()
	go p.stderr.run()
	go p.supervise(exited)
	return p, nil
}

// pipes connects cmd to pipes: standard input, output and error. They are made
// here, not by cmd, which would close them under a reader that is not done.
func pipes(cmd *exec.Cmd) (ours, theirs []*os.File, err error) {
	for fd := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, err
		}
		if fd == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}

// stray returns what is called for a line of standard output that is no message.
func (p *Process) stray(quote *quoter) func([]byte) {
	return func(line []byte) {
		text := quote.line(line)
		p.command.Logger.Debug("standard output: no message", "line", text)
		if p.command.OnStray != nil {
			p.command.OnStray([]byte(text))
		}
	}
}

// Reader returns the messages that the server writes to standard output, each
// a line that ends in a newline. It is always the same reader.
//
// A line is passed on if it is a JSON-RPC message that the SDK can decode. A
// batch is passed on as its messages, since the SDK fails on it for most
// protocol versions. A response whose error has not the required form is
// replaced by one with the same id and an error that says so. All other lines
// are reported to [Command.OnStray], unless they are blank.
//
// Read returns a [*LineTooLongError] in the place of a message that is longer
// than allowed, without having collected it, and a second one if the end of
// the line tells whom it was for; Read may go on after that. It
// returns io.EOF when the server closed standard output, after it has exited
// (what it wrote before comes first), and after Close. After an exit Done is
// closed by then, so that Err, Exit and StderrTail tell the whole story.
//
// Close makes the Read that is under way return, whatever the server does, and
// lets the server go on writing into the void. It does not end the server.
func (p *Process) Reader() io.ReadCloser { return p.stdout }

// Writer returns standard input. It is always the same writer. A Write waits
// while the server does not read, until Close of it or of the process, or until
// the process exits. Errors of writing to a server that is gone wrap
// io.ErrClosedPipe, and come after what it wrote was read, if somebody reads.
// Close asks the server to exit, as the specification says.
func (p *Process) Writer() io.WriteCloser { return p.stdin }

// StderrTail returns the end of what the server wrote to standard error: at
// most 20 lines and 4 KiB, valid UTF-8 without control characters or blank
// lines, and with the values of [Command.Env] hidden. It is complete once Done
// is closed.
func (p *Process) StderrTail() string { return p.stderr.last() }

// PID returns the id of the process.
func (p *Process) PID() int { return p.pid }

// Done returns a channel that is closed when the process has exited and was
// reaped, and its group was killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil before Done is closed. After that it says how the process
// failed, usually as an *exec.ExitError. It is nil for exit status 0, and for
// any way to end after its end was asked for: many servers exit with another
// status then.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Exit describes the state of the process such that it fits after "the server":
// "is running", "exited with status 3", "was ended by signal: killed".
func (p *Process) Exit() string {
	select {
	case <-p.done:
		return p.exit
	default:
		return running
	}
}

// Close ends the process and its group: it closes the Reader and the Writer,
// waits for TerminateTimeout, sends SIGTERM, waits for KillTimeout, and sends SIGKILL;
// when ctx ends, it sends SIGKILL at once. It returns when the process is
// reaped, in little more than both together. An error means that the
// system does not end it even so, which takes 4 s more to find out. A process
// that has already exited is no error. Close may be called any number of times.
func (p *Process) Close(ctx context.Context) error {
	p.closeOnce.Do(func() {
		_ = p.stdout.Close()
		_ = p.stdin.Close()
		close(p.closing)
	})
	limit := time.NewTimer(p.command.TerminateTimeout + p.command.KillTimeout + killWait)
	defer limit.Stop()
	select {
	case <-p.done:
		p.release()
		return nil
	case <-ctx.Done():
	case <-limit.C:
	}
	return p.kill()
}

// Kill ends the process and its group at once with SIGKILL, and waits only for
// the system to do it. It may be called any number of times, and while Close
// waits.
func (p *Process) Kill() { _ = p.kill() }

func (p *Process) kill() error {
	p.asked.Store(true)
	p.killOnce.Do(func() { close(p.killing) })
	p.group.kill()
	defer p.release()
	if await(killWait, p.done, nil) {
		return nil
	}
	p.command.Logger.Warn("does not end on SIGKILL", "command", p.command.Path, "pid", p.pid)
	return fmt.Errorf("stdio: process %d of command %q does not end, though it was killed", p.pid, p.command.Path)
}

// release closes this side's ends of the pipes. Nobody is to read any more.
func (p *Process) release() {
	_ = p.stdout.Close()
	_ = p.stdout.source.Close()
	_ = p.stdin.Close()
	_ = p.stderr.source.Close()
}
