package stdio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	defaultTerminateTimeout = 2 * time.Second
	defaultMaxLine          = 64 << 20
)

// A Command says what to start and how to treat it. Only Path is required.
// Start copies what it needs; a Command may be used again for a new process.
type Command struct {
	// Path is the program: a path, or a name that is looked up in the PATH
	// that the process itself will have. A path that is relative is relative
	// to Dir. No shell is involved.
	Path string

	// Args are its arguments, without the program's name.
	Args []string

	// Env is merged over the few variables that are passed on from this
	// process, and wins. Values never appear in errors or logs, nor, if they
	// are 8 bytes or longer, in what is quoted from the server's output: there
	// ${NAME} stands for the value.
	Env map[string]string

	// Secrets are values that are left out, too, of what is quoted.
	Secrets []string

	// Dir is the working directory. Empty means this process's own.
	Dir string

	// Stderr receives what the process writes to standard error, unchanged.
	// Nil discards it. A Write that fails is the last one; a Write that blocks
	// stalls the server, but not Close.
	Stderr io.Writer

	// Logger receives the steps of the process's life and the lines of its
	// standard error at level Debug, and what went wrong at level Warn. Nil
	// means silence.
	Logger *slog.Logger

	// TerminateTimeout is how long the process may take to exit after its
	// standard input was closed, and KillTimeout how long it may take after
	// SIGTERM. 0 or less means 2 s, and for KillTimeout TerminateTimeout.
	TerminateTimeout, KillTimeout time.Duration

	// WaitDelay is how long others of the group may live on after a process
	// that exits without having been asked to. 0 or less means 200 ms.
	WaitDelay time.Duration

	// MaxLine bounds one line of standard output, in bytes. 0 or less means
	// 64 MiB.
	MaxLine int

	// OnStray is called for each line on standard output that is not a
	// message, from within Read of the Reader, with at most 512 bytes of it,
	// valid UTF-8 without control characters. It must not block. Nil is fine.
	OnStray func(line []byte)
}

// build returns c with its defaults filled in, and the exec.Cmd for it.
func (c Command) build() (Command, *exec.Cmd, error) {
	if c.TerminateTimeout <= 0 {
		c.TerminateTimeout = defaultTerminateTimeout
	}
	if c.KillTimeout <= 0 {
		c.KillTimeout = c.TerminateTimeout
	}
	if c.WaitDelay <= 0 {
		c.WaitDelay = waitDelay
	}
	if c.MaxLine <= 0 {
		c.MaxLine = defaultMaxLine
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Path == "" {
		return c, nil, errors.New("stdio: no command was given")
	}
	windows := runtime.GOOS == "windows"
	env, err := environment(os.LookupEnv, os.Environ(), c.Env, windows)
	if err != nil {
		return c, nil, err
	}
	if err := checkDir(c.Dir); err != nil {
		return c, nil, err
	}
	path, err := lookPath(c.Path, variable(env, "PATH", windows))
	if err != nil {
		return c, nil, err
	}
	return c, &exec.Cmd{
		Path: path,
		Args: append([]string{c.Path}, c.Args...),
		Env:  env,
		Dir:  c.Dir,
	}, nil
}

// checkDir looks at the directory before it is used: a failing chdir in the
// child is reported as if the program was missing.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("stdio: the working directory %q does not exist: %w", dir, err)
	case err != nil:
		return fmt.Errorf("stdio: the working directory %q cannot be used: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("stdio: the working directory %q is not a directory: %w", dir, syscall.ENOTDIR)
	}
	return nil
}

// lookPath finds a program by name in the directories that path lists. It is
// exec.LookPath with another PATH than this process's own. Like that, it
// ignores directories that are not absolute.
func lookPath(name, path string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	var denied error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil {
			return found, nil
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = fmt.Errorf("stdio: command %q was found as %s, which is not executable: %w",
				name, filepath.Join(dir, name), fs.ErrPermission)
		}
	}
	if denied != nil {
		return "", denied
	}
	if unsplit := unsplit(name); unsplit != "" {
		return "", fmt.Errorf("stdio: command %q was not found in PATH%s: %w", name, unsplit, exec.ErrNotFound)
	}
	return "", fmt.Errorf("stdio: command %q was not found in PATH: install it or give its full path: %w",
		name, exec.ErrNotFound)
}

// unsplit says what to do about a command that does not exist and may be a line
// for a shell, or is "".
func unsplit(command string) string {
	if !strings.ContainsAny(command, " \t") {
		return ""
	}
	program := command[:strings.IndexAny(command, " \t")]
	return fmt.Sprintf("; no shell splits it: if %q is the program, give that as the command, and each argument as an element of Args (\"args\" in files)", program)
}

// spawnError says why cmd could not be started, which the system puts into one
// word that fits several causes.
func spawnError(cmd *exec.Cmd, err error) error {
	path := cmd.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmd.Dir, path)
	}
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("stdio: command %q does not exist%s: %w", path, unsplit(cmd.Args[0]), err)
	case statErr == nil && info.IsDir():
		return fmt.Errorf("stdio: command %q is a directory: %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("stdio: command %q may not be executed: check its permissions: %w", path, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("stdio: command %q exists, but the interpreter or loader that it names does not: %w", path, err)
	}
	return fmt.Errorf("stdio: starting command %q: %w", path, err)
}
