package conformance_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A result is what came of one scenario.
type result struct {
	checks []check
	exit   string // status that the client ended with, empty if it was killed
	stderr string
}

// A check is one thing that a suite looked at.
type check struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Description  string `json:"description"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"`
}

func (r result) count(status string) int {
	n := 0
	for _, c := range r.checks {
		if c.Status == status {
			n++
		}
	}
	return n
}

// passed reports whether the suite's checks of the scenario hold. Without any
// that does, nothing was checked.
func (r result) passed() bool {
	return r.count("SUCCESS") > 0 && r.count("FAILURE") == 0 && r.count("WARNING") == 0
}

// faults lists what is wrong with a scenario that has to pass. When the
// scenario is one in which the server has to be refused, so has the client to
// fail.
func (r result) faults(refusal bool) []string {
	var faults []string
	if r.count("SUCCESS") == 0 {
		faults = append(faults, "no check was passed")
	}
	for _, c := range r.checks {
		if c.Status == "FAILURE" || c.Status == "WARNING" {
			faults = append(faults, fmt.Sprintf("%s: %s (%s): %s %s", c.Status, c.Name, c.ID, c.Description, c.ErrorMessage))
		}
	}
	switch {
	case r.exit == "":
		faults = append(faults, "the client did not end by itself")
	case refusal && r.exit != "1":
		faults = append(faults, fmt.Sprintf("the client ended with status %s, want 1, since the server has to be refused", r.exit))
	case !refusal && r.exit != "0":
		faults = append(faults, fmt.Sprintf("the client ended with status %s, want 0", r.exit))
	}
	return faults
}

// resultDir matches the name of the folder that a suite writes the results of
// a scenario to, which may be in a folder of its own.
var resultDir = regexp.MustCompile(`^(.+)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$`)

// readResults returns the results by scenario that a suite wrote to dir.
func readResults(t *testing.T, dir string) map[string]result {
	t.Helper()
	results := map[string]result{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		inside, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		match := resultDir.FindStringSubmatch(filepath.ToSlash(inside))
		if match == nil {
			return fmt.Errorf("%s is not the folder of a scenario", inside)
		}
		results[match[1]], err = readResult(filepath.Dir(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func readResult(dir string) (result, error) {
	var r result
	data, err := os.ReadFile(filepath.Join(dir, "checks.json"))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r.checks); err != nil {
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	stdout, err := os.ReadFile(filepath.Join(dir, "stdout.txt"))
	if err != nil {
		return r, err
	}
	r.exit, _ = strings.CutPrefix(strings.TrimSpace(string(stdout)), exitMark)
	stderr, err := os.ReadFile(filepath.Join(dir, "stderr.txt"))
	r.stderr = string(stderr)
	return r, err
}

// different returns how many different checks were passed in all scenarios
// together. Some are made of each request, which may be one more or less: the
// stream that a client opens beside its calls may come too late.
func different(results map[string]result) int {
	passed := map[[3]string]bool{}
	for scenario, r := range results {
		for _, c := range r.checks {
			if c.Status == "SUCCESS" {
				passed[[3]string{scenario, c.ID, c.Name}] = true
			}
		}
	}
	return len(passed)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	success, skipped := check{Status: "SUCCESS"}, check{Status: "SKIPPED"}
	info, warning, failure := check{Status: "INFO"}, check{Status: "WARNING", ID: "w"}, check{Status: "FAILURE", ID: "f"}
	tests := []struct {
		name    string
		result  result
		refusal bool
		want    []string // parts of the faults
	}{
		{"passed", result{checks: []check{success, info, skipped}, exit: "0"}, false, nil},
		{"refused", result{checks: []check{success}, exit: "1"}, true, nil},
		{"nothing checked", result{exit: "0"}, false, []string{"no check"}},
		{"all skipped", result{checks: []check{skipped, info}, exit: "0"}, false, []string{"no check"}},
		{"failed", result{checks: []check{success, failure, warning}, exit: "0"}, false, []string{"(f)", "(w)"}},
		{"client failed", result{checks: []check{success}, exit: "1"}, false, []string{"status 1, want 0"}},
		{"client crashed", result{checks: []check{success}, exit: "2"}, true, []string{"status 2, want 1"}},
		{"not refused", result{checks: []check{success}, exit: "0"}, true, []string{"status 0, want 1"}},
		{"killed", result{checks: []check{success}}, false, []string{"did not end"}},
		{"killed before it refused", result{checks: []check{success}}, true, []string{"did not end"}},
	}
	for _, test := range tests {
		got := test.result.faults(test.refusal)
		if !slices.EqualFunc(got, test.want, strings.Contains) {
			t.Errorf("%s: faults are %q, want %q", test.name, got, test.want)
		}
		if test.result.passed() && test.result.count("FAILURE") > 0 {
			t.Errorf("%s: passed in spite of a failure", test.name)
		}
	}
}

func TestDifferent(t *testing.T) {
	t.Parallel()
	results := map[string]result{
		"a": {checks: []check{
			{ID: "1", Name: "x", Status: "SUCCESS"},
			{ID: "1", Name: "x", Status: "SUCCESS"}, // of another request
			{ID: "1", Name: "y", Status: "SUCCESS"},
			{ID: "2", Name: "x", Status: "SKIPPED"},
			{ID: "3", Name: "x", Status: "FAILURE"},
		}},
		"b": {checks: []check{{ID: "1", Name: "x", Status: "SUCCESS"}}},
	}
	if got := different(results); got != 3 {
		t.Errorf("%d different checks, want 3", got)
	}
}
