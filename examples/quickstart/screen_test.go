//go:build unix

package main_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is a terminal with someone in front of it: a pseudo terminal and an
// emulator that reads it and answers its queries.
type screen struct {
	*process
	t      *testing.T
	master *os.File
	done   sync.WaitGroup
}

const width, height = 100, 60

// startOnScreen runs the program on a terminal. Its stdout then holds what the
// screen shows, each time it has changed.
func startOnScreen(t *testing.T, args ...string) *screen {
	t.Helper()
	s := &screen{process: command(t, args...), t: t}
	s.cmd.Env = append(s.cmd.Env, "TERM=xterm-256color")
	master, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: width, Rows: height})
	if err != nil {
		t.Fatal(err)
	}
	s.master = master
	emulator := vt.NewEmulator(width, height)
	s.done.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if err != nil { // the program has ended
				emulator.InputPipe().(io.Closer).Close()
				return
			}
			emulator.Write(buf[:n])
			s.stdout.set(show(emulator))
		}
	})
	s.done.Go(func() { io.Copy(master, emulator) })
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.done.Wait()
		master.Close()
	})
	return s
}

// show is what an emulator shows, without trailing space.
func show(emulator *vt.Emulator) string {
	return strings.TrimRight(regexp.MustCompile(`(?m)[ \r]+$`).ReplaceAllString(emulator.String(), ""), "\n") + "\n"
}

func (s *screen) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.t.Fatal(err)
	}
}

const (
	enter  = "\r"
	escape = "\x1b"
	ctrlC  = "\x03"
	ctrlD  = "\x04"
)

// fill fills in the page that shows a title.
func (s *screen) fill(title, keys string) {
	s.t.Helper()
	s.stdout.until(s.t, title)
	s.types(keys + enter)
}

func TestFormOnATerminal(t *testing.T) {
	s := startOnScreen(t)
	s.fill("┃ Name\n", "Grace Hopper")
	s.fill("┃ Age\n", "eighty")
	s.stdout.until(t, "must be a whole number")
	s.types(strings.Repeat("\b", len("eighty")))
	s.types("85" + enter)
	s.fill("┃ Age: 85", "")
	s.fill("┃ Name on the card", "Amazing Grace")
	s.fill("┃ Your branch", "")
	s.fill("┃ What do you read?", "")
	s.fill("┃ Send you the newsletter?", "")
	s.fill("┃ Name on the card: Amazing Grace", "")
	s.stdout.until(t, "long_running_task  ████████░░░░░░░░░░░░   40%  2/5  Step 2 completed")
	s.wait(0)
	s.done.Wait()
	screen := s.stdout.String()
	for _, want := range []string{
		"     = Hello Grace Hopper, you are 85 years old.\n",
		"     = Card issued to Amazing Grace. Branch: central. Interests: science.\n",
		"tasks/long_running_task: info [task]: 100% completed\n",
		"  In ten years you will be 95.\n",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
	for _, gone := range []string{"█", "┃"} {
		if strings.Contains(screen, gone) {
			t.Errorf("the screen still has %q", gone)
		}
	}
	if t.Failed() {
		t.Logf("the screen shows:\n%s", screen)
	}
}

func TestRefusedFormIsPartOfTheAnswer(t *testing.T) {
	s := startOnScreen(t)
	s.stdout.until(t, "┃ Name\n")
	s.types(ctrlD)
	s.stdout.until(t, "┃ Name on the card")
	s.types(escape)
	s.wait(0)
	s.done.Wait()
	for _, want := range []string{
		"The tool collect_user_info says: Information not provided\n",
		"The tool issue_card says: No card issued.\n",
		"I cannot use add: collect_user_info did not tell what is needed.\n",
		"In Lisbon it is 23 °C and sunny.\n",
	} {
		if screen := s.stdout.String(); !strings.Contains(screen, want) {
			t.Errorf("the answer lacks %q:\n%s", want, screen)
		}
	}
}

func TestInterruptedByAKey(t *testing.T) {
	s := startOnScreen(t)
	s.stdout.until(t, "┃ Name\n")
	s.types(ctrlC) // only this form
	s.stdout.until(t, "┃ Name on the card")
	s.types(ctrlC)
	s.stdout.until(t, "1/5")
	s.types(ctrlC)
	s.wait(130)
	s.done.Wait()
	if screen := s.stdout.String(); strings.Contains(screen, "█") || !strings.HasSuffix(screen, "quickstart: interrupted\n") {
		t.Errorf("the screen is not tidy:\n%s", screen)
	}
}
