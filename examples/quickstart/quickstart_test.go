package main_test

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The README shows a run, so this is what it has to look like, to the letter.
func TestRunIsAsTheReadmeSays(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ go run [^\n]*\n(.*?)```").FindSubmatch(readme)
	if shown == nil {
		t.Fatal("the README shows no run")
	}
	p := start(t)
	p.wait(0)
	if diff := cmp.Diff(string(shown[1]), p.stdout.String()); diff != "" {
		t.Errorf("the output is not that in the README (-readme +run):\n%s", diff)
	}
}

func TestResultsAndEventsAreApart(t *testing.T) {
	p := startApart(t, "-prefix")
	p.wait(0)
	stdout, stderr := p.stdout.String(), p.stderr.String()
	for _, name := range []string{"handy_add", "library_issue_card", "tasks_long_running_task"} {
		if !strings.Contains(stdout, name) {
			t.Errorf("there is no tool %s:\n%s", name, stdout)
		}
	}
	for _, want := range []string{
		"7. handy/multiply", "  You are Ada Lovelace, 36 years old.\n", "  That is 552 months.\n", "servers: elicitation.\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("standard output lacks %q:\n%s", want, stdout)
		}
	}
	for what, want := range map[string]int{
		`(?m)^tasks/long_running_task: \d/5 \(\d+%\) Step \d completed$`:               5,
		`(?m)^tasks/long_running_task: info \[task\]: \d+% completed$`:                 5,
		`(?m)^tasks/collect_user_info asked ".+": accepted$`:                           1,
		`(?m)^library/issue_card asked "What name should go on the card\?": accepted$`: 1,
	} {
		if n := len(regexp.MustCompile(what).FindAllString(stderr, -1)); n != want {
			t.Errorf("standard error has %d times %s, want %d:\n%s", n, what, want, stderr)
		}
		if regexp.MustCompile(what).MatchString(stdout) {
			t.Errorf("standard output has %s", what)
		}
	}
}

func TestInterruptedRunIsTidy(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t)
			p.stdout.until(t, "2/5 (40%)")
			if n := len(libraries(t)); n != 1 && runtime.GOOS == "linux" {
				t.Errorf("%d processes of the server while it runs", n)
			}
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			p.wait(130)
			if out := p.stdout.String(); !strings.HasSuffix(out, "quickstart: interrupted\n") || strings.Contains(out, "5/5") {
				t.Errorf("the run went on, or did not say why it ended:\n%s", out)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		want string // on standard output if the code is 0
	}{
		{"-h", 0, "OPENAI_BASE_URL"},
		{"-help", 0, "-prefix"},
		{"hello", 2, `"hello" is no flag`},
		{"-nope", 2, "-nope"},
		{"-question hello", 2, "-question needs -model"},
		{"-base-url http://localhost", 2, "-base-url needs -model"},
		{"-model some", 2, "OPENAI_API_KEY"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			p := startApart(t, strings.Fields(tt.args)...)
			p.wait(tt.code)
			said, quiet := p.stderr.String(), p.stdout.String()
			if tt.code == 0 {
				said, quiet = quiet, said
			}
			if !strings.Contains(said, tt.want) || quiet != "" {
				t.Errorf("it says %q and %q, want %q and nothing", said, quiet, tt.want)
			}
		})
	}
}
