package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

const (
	// paintInterval keeps a flood of progress from becoming a flood of output.
	paintInterval = 50 * time.Millisecond
	maxHeldLines  = 1000
)

// print shows one line about an event, above the bars. The line has no
// newline.
func (t *Terminal) print(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case !t.suspended:
		t.flush([]byte(line + "\n"))
	case t.heldLines < maxHeldLines:
		t.heldLines++
		t.held = append(t.held, line+"\n"...)
	default:
		t.lost++
	}
}

// suspend takes the bars off the screen until resume.
func (t *Terminal) suspend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(t.erasure())
	t.suspended = true
}

// resume prints what came in the meantime, then line, and the bars again.
func (t *Terminal) resume(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.suspended = false
	text := t.held
	if t.lost > 0 {
		text = fmt.Appendf(text, "%d more lines were discarded while the form was shown\n", t.lost)
	}
	if line != "" {
		text = append(text, line+"\n"...)
	}
	t.held, t.heldLines, t.lost = nil, 0, 0
	t.flush(text)
}

// refresh paints the bars, now or soon. The caller holds mu.
func (t *Terminal) refresh() {
	if t.closed || t.suspended || t.repaint != nil {
		return
	}
	wait := paintInterval - time.Since(t.paintedAt)
	if wait <= 0 {
		t.flush(nil)
		return
	}
	t.repaint = time.AfterFunc(wait, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.repaint = nil
		if !t.closed && !t.suspended {
			t.flush(nil)
		}
	})
}

// flush writes text, which ends with a newline or is empty, and the bars below
// it, at once. The caller holds mu.
func (t *Terminal) flush(text []byte) {
	if t.file == nil {
		t.write(string(text))
		return
	}
	var b strings.Builder
	b.WriteString(t.erasure())
	b.Write(text)
	width, height := t.size()
	if lines := t.renderBars(width, height); len(lines) > 0 {
		// A line that is wider than the terminal thinks would make it two.
		b.WriteString(ansi.ResetModeAutoWrap)
		for _, line := range lines {
			b.WriteString(line + "\n")
			t.painted = append(t.painted, ansi.StringWidth(line))
		}
		b.WriteString(ansi.SetModeAutoWrap)
	}
	t.paintedAt = time.Now()
	t.write(b.String())
}

// erasure returns what takes the bars off the screen, and takes them as gone.
// The caller holds mu.
func (t *Terminal) erasure() string {
	if len(t.painted) == 0 {
		return ""
	}
	// a terminal that became narrower has wrapped the lines
	width, _ := t.size()
	rows := 0
	for _, w := range t.painted {
		rows += max(1, (w+width-1)/width)
	}
	t.painted = nil
	return "\r" + ansi.CursorUp(rows) + ansi.EraseScreenBelow
}

func (t *Terminal) write(s string) {
	if s == "" {
		return
	}
	if _, err := t.out.Write([]byte(s)); err != nil && t.err == nil {
		t.err = fmt.Errorf("terminal: write: %w", err)
	}
}

// size returns the size of the terminal, something sensible if it is unknown.
func (t *Terminal) size() (width, height int) {
	width, height, err := term.GetSize(int(t.file.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// lastLine returns the length of the whole lines in p.
func lastLine(p []byte) int {
	return bytes.LastIndexByte(p, '\n') + 1
}
