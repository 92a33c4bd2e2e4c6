//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// modeVariable makes the test binary behave as a server: see modes.
	modeVariable = "STDIO_TEST_MODE"
	// bornVariable makes it wait for the end of its input before it does.
	bornVariable = "STDIO_TEST_BORN"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(modeVariable); name != "" {
		mode, ok := modes[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such mode:", name)
			os.Exit(99)
		}
		if os.Getenv(bornVariable) != "" {
			untilEOF()
		}
		mode()
		os.Exit(0)
	}
	// The runtime opens files for polling with the first pipe, and keeps them.
	if r, w, err := os.Pipe(); err == nil {
		_, _ = r.Close(), w.Close()
	}
	os.Exit(m.Run())
}

// modes are the ways in which a server may behave.
var modes = map[string]func(){
	// Well-behaved: sends each line back, exits at the end of input.
	"echo": func() { _, _ = io.Copy(os.Stdout, os.Stdin) },

	// The same, but not before it is told by SIGUSR1.
	"echo-later": func() {
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGUSR1)
		say(strconv.Itoa(os.Getpid()))
		<-told
		_, _ = io.Copy(os.Stdout, os.Stdin)
	},

	"exit3": func() {
		fmt.Fprintln(os.Stderr, "fatal: no configuration")
		os.Exit(3)
	},
	"exit1-at-eof": func() {
		say("ready")
		untilEOF()
		os.Exit(1)
	},
	"exit-when-told": func() {
		say("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Fprintln(os.Stderr, "told to exit")
		os.Exit(4)
	},
	"crash": func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); forever() },
	// Says what is no message and exits.
	"stray-words": func() { fmt.Println("Starting up") },
	"last-words": func() {
		say("one")
		say("two")
		fmt.Print(message("three")) // without a newline
	},
	"ignore-eof": func() {
		say("ready")
		untilEOF()
		fmt.Fprintln(os.Stderr, "end of input, and so what")
		forever()
	},
	"ignore-term": func() {
		signal.Ignore(syscall.SIGTERM)
		say("ready")
		forever()
	},
	"clean-up-on-term": func() {
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		say("ready")
		<-terms
		fmt.Fprintln(os.Stderr, "cleaned up")
	},
	"stop": func() {
		say("ready")
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		forever()
	},
	"never-read": func() { say("ready"); forever() },
	"close-stdout": func() {
		say("ready")
		_ = os.Stdout.Close()
		untilEOF()
	},
	"write-at-eof": func() {
		say("ready")
		untilEOF()
		for range 4096 { // far more than a pipe holds
			if _, err := fmt.Println(message(strings.Repeat("x", 100))); err != nil {
				os.Exit(5)
			}
		}
		fmt.Fprintln(os.Stderr, "all written")
	},
	"noise": func() {
		fmt.Print("\uFEFF", message("after a mark"), "\n")
		fmt.Println("Welcome to the server!")
		fmt.Println("[INFO] starting")
		fmt.Println("{oops")
		fmt.Println()
		fmt.Println(`{"level":30,"msg":"listening"}`)
		fmt.Print("  ", message("after spaces"), " \r\n")
		fmt.Printf("[%s,%s]\n", message("first of batch"), message("second of batch"))
		fmt.Println("\x1b[32mgreen\x1b[0m")
		say("end")
	},
	"half-lines": func() {
		text := message("halves")
		in := bufio.NewReader(os.Stdin)
		fmt.Print(text[:10])
		_, _ = in.ReadString('\n')
		fmt.Println(text[10:])
		fmt.Print(text[:10]) // and the other half never comes
	},
	"flood-stderr": func() {
		line := strings.Repeat("e", 1023) + "\n"
		fmt.Fprint(os.Stderr, strings.Repeat(line, 1024))
		fmt.Fprintln(os.Stderr, "the end of it")
		say("ready")
		untilEOF()
	},
	"endless-line": func() {
		fmt.Print(`{"jsonrpc":"2.0","method":"`)
		chunk := strings.Repeat("a", 1<<16)
		for {
			if _, err := fmt.Print(chunk); err != nil {
				os.Exit(6)
			}
		}
	},
	"long-line": func() {
		fmt.Println(message(strings.Repeat("a", 200<<10)))
		say("ready")
		untilEOF()
	},
	"environment": func() {
		list, _ := json.Marshal(os.Environ())
		fmt.Printf(`{"jsonrpc":"2.0","method":"environment","params":{"list":%s}}`+"\n", list)
	},
	"directory": func() {
		dir, _ := os.Getwd()
		say(dir)
	},
	"leak-secret": func() { fmt.Fprintln(os.Stderr, "bad key", os.Getenv("API_KEY")) },

	// Parents of a process that holds on to all that it inherited.
	"grandchild":            func() { bear("hold", false); untilEOF() },
	"grandchild-exit":       func() { bear("hold", false); os.Exit(3) },
	"grandchild-stubborn":   func() { bear("hold-stubborn", false); untilEOF() },
	"grandchild-left":       func() { bear("hold", true); untilEOF() },
	"grandchild-left-exit":  func() { bear("hold", true); os.Exit(3) },
	"grandchild-left-flood": func() { bear("flood", true); os.Exit(3) },
	"grandchild-quiet": func() {
		bear("hold-nothing", false)
		untilEOF()
	},
	"grandchild-cleans-up": func() { bear("clean-up-on-term", false); forever() },
	"hold":                 forever,
	"hold-nothing":         forever,
	"hold-stubborn":        func() { signal.Ignore(syscall.SIGTERM); say("ready"); forever() },
	"flood": func() {
		signal.Ignore(syscall.SIGPIPE)
		for {
			if _, err := fmt.Println(message("flood")); err != nil {
				forever()
			}
		}
	},

	"sdk": func() {
		fmt.Println("Starting the server ...")
		server := mcp.NewServer(&mcp.Implementation{Name: "noisy", Version: "1"}, nil)
		mcp.AddTool(server, &mcp.Tool{Name: "shout"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Text string `json:"text"`
		}) (*mcp.CallToolResult, any, error) {
			fmt.Println("shouting", in.Text)
			fmt.Println(`{"level":"info","msg":{"jsonrpc":"2.0"}}`)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.ToUpper(in.Text)}}}, nil, nil
		})
		_ = server.Run(context.Background(), &mcp.StdioTransport{})
	},
}

// message returns a message with a text.
func message(text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"say","params":{"text":%s}}`, b)
}

func say(text string) { fmt.Println(message(text)) }

func untilEOF() { _, _ = io.Copy(io.Discard, os.Stdin) }

// forever waits until the process is killed. To wait for a signal is not taken
// for a deadlock.
func forever() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	<-signals
}

// bear starts a child of the server, and says its process id, before the child says
// anything. When left is set the child leaves the group.
func bear(mode string, left bool) {
	self, _ := os.Executable()
	child := exec.Command(self)
	child.Env = append(os.Environ(), modeVariable+"="+mode, bornVariable+"=1")
	born, err := child.StdinPipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot bear:", err)
		os.Exit(98)
	}
	if mode != "hold-nothing" {
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
	}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: left}
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot bear:", err)
		os.Exit(98)
	}
	say(fmt.Sprint(child.Process.Pid))
	_ = born.Close()
}
