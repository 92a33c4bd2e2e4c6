package conformance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// exitMark is what is written before the exit status of the client.
const exitMark = "exit "

// A runner runs one version of the suites, "0.1" or "0.2", against a client.
type runner struct {
	version, client string
}

// run returns the results by scenario. The error is the verdict of the suite.
func (r runner) run(t *testing.T, args ...string) (map[string]result, error) {
	t.Helper()
	dir := t.TempDir()
	// The suite hands this to a shell, with the URL behind it. It starts the
	// clients of all scenarios at once, and one of them is measured in
	// milliseconds, so that they have to wait for a turn. In what it keeps of a
	// scenario there is no exit status, only output.
	command := fmt.Sprintf(`run() { read -r _ < '%[1]s'; '%[2]s' "$1"; code=$?; echo > '%[1]s'; echo "%[3]s$code"; return $code; }; run`,
		turns(t), r.client, exitMark)
	argv := slices.Concat(installed(t, r.version), []string{
		"client", "--command", command, "--output-dir", dir,
		"--timeout", "120000", // the wait included; the client itself takes less than half a minute
	}, args)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("the suite did not succeed: %w\n%s", err, out)
	}
	return readResults(t, dir), err
}

// repeat runs a scenario alone, until it is passed or was not three times.
func (r runner) repeat(t *testing.T, scenario string) result {
	t.Helper()
	var last result
	for range 3 {
		results, _ := r.run(t, "--scenario", scenario)
		if last = results[scenario]; last.passed() {
			break
		}
	}
	return last
}

// turns returns the path of a pipe that holds a line for each client that may
// run at the same time: one takes a line out before it runs, and puts it back.
func turns(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turns")
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v\n%s", err, out)
	}
	// Open at both ends, so that neither a reader nor a writer waits for
	// the other, for as long as the test.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	if _, err := pipe.WriteString(strings.Repeat("\n", runtime.GOMAXPROCS(0))); err != nil {
		t.Fatal(err)
	}
	return path
}
