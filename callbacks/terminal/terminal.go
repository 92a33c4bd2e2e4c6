package terminal

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/term"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// Options say where a [Terminal] reads and writes. The zero value is the
// process's own terminal.
type Options struct {
	// In is where forms read keys from. Forms are shown only if it is an
	// *os.File that is a terminal, and Out too. The default is os.Stdin.
	In io.Reader

	// Out is where everything goes. Bars and forms are shown only if it is an
	// *os.File that is a terminal and TERM is not "dumb". The default is
	// os.Stderr. NO_COLOR and the like are honoured.
	Out io.Writer

	// Answer answers elicitations when no form can be shown. The default is
	// elicitation.Decline.
	Answer func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
}

// Terminal shows events and asks questions. Create it with [New]. All methods
// are safe for concurrent use.
type Terminal struct {
	in     *os.File // nil if no form can be shown
	file   *os.File // nil if Out is no terminal
	out    io.Writer
	answer func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

	asking  chan struct{} // holds the one form that is shown
	closing context.Context
	close   context.CancelFunc

	mu        sync.Mutex
	closed    bool
	err       error // the first of writing
	bars      []*bar
	news      uint64 // counts what came for bars
	painted   []int  // widths of the lines of bars on the screen
	paintedAt time.Time
	repaint   *time.Timer // nil if none is due
	suspended bool        // a form owns the screen
	held      []byte      // what to print when it is gone
	heldLines int
	lost      int
	partial   []byte // what Write got of an unfinished line
}

// New returns a terminal. It writes nothing yet, and starts nothing.
func New(opts Options) *Terminal {
	t := &Terminal{answer: opts.Answer, asking: make(chan struct{}, 1)}
	t.closing, t.close = context.WithCancel(context.Background())
	if t.answer == nil {
		t.answer = elicitation.Decline
	}
	in, out := opts.In, opts.Out
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stderr
	}
	t.out = out
	if f := terminalOf(out); f != nil && os.Getenv("TERM") != "dumb" {
		lipgloss.EnableLegacyWindowsANSI(f)
		t.file = f
		t.out = colorprofile.NewWriter(f, os.Environ())
		t.in = terminalOf(in)
	}
	return t
}

func terminalOf(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// Callbacks returns callbacks that show progress and log messages and answer
// elicitations here. Several clients may share them.
func (t *Terminal) Callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{
		OnProgress:       t.progress,
		OnLoggingMessage: t.log,
		OnElicitation:    t.elicit,
	}
}

// Write prints text of the program itself above the bars, or after the form
// that is being shown. Text up to the last newline is printed, the rest waits
// for its newline, or for Close. Since it is the program's own, it is printed
// as it is. The error is that of Out; after Close it is os.ErrClosed.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, os.ErrClosed
	}
	t.partial = append(t.partial, p...)
	if end := lastLine(t.partial); end > 0 {
		text := t.partial[:end]
		t.partial = append([]byte(nil), t.partial[end:]...)
		if t.suspended {
			t.held = append(t.held, text...)
		} else {
			t.flush(text)
		}
	}
	if t.err != nil {
		return 0, t.err
	}
	return len(p), nil
}

// Close takes the bars and the form off the screen and gives the terminal back
// as it was. The elicitation that was being shown is answered "cancel", and so
// are those that come later; other events are discarded from then on. It
// returns the first error of writing to Out, if any. Further calls do nothing.
func (t *Terminal) Close() error {
	t.close()
	t.asking <- struct{}{} // the form is gone
	defer func() { <-t.asking }()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return t.err
	}
	for _, b := range t.bars {
		b.detach()
	}
	t.bars = nil
	rest := t.partial
	if len(rest) > 0 {
		rest = append(rest, '\n')
	}
	t.flush(rest)
	t.closed = true
	if t.repaint != nil {
		t.repaint.Stop()
	}
	return t.err
}
