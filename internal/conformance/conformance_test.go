package conformance_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// newest is the suite that has all scenarios but renamed ones.
const newest = "0.2"

// timed is the scenario in which the client must not be early, and in 0.1 not
// more than 0.2 s late either, which says something of this machine, too.
const timed = "sse-retry"

// refusals are the scenarios whose servers a client must not go on with.
var refusals = []string{
	"auth/iss-normalized",
	"auth/iss-supported-missing",
	"auth/iss-unexpected",
	"auth/iss-wrong-issuer",
	"auth/metadata-issuer-mismatch",
	"auth/resource-mismatch",
	"auth/scope-retry-limit",
	"sep-2640-client-verify-digest",
	"sep-2640-client-verify-frontmatter",
	"sep-2640-client-verify-size",
}

func TestConformance(t *testing.T) {
	client := buildClient(t)
	tests := []struct {
		name      string
		version   string
		args      []string
		scenarios int
		baseline  string

		// required names the requirements that the scenarios have to include,
		// of which there are this many.
		required      string
		requiredCount int

		// checks is how many different ones have to be passed in all, so that
		// scenarios that no longer look at what they did are noticed.
		checks int
	}{
		{
			name: "0.1", version: "0.1", args: []string{"--suite", "all"},
			scenarios: 26, baseline: "baseline.yml", checks: 214,
		},
		{
			name: newest, version: newest, args: []string{"--suite", "all"},
			scenarios: 48, checks: 417,
		},
		{
			name: "2025-11-25", version: newest, args: []string{"--requirements", "2025-11-25"},
			scenarios: 25, required: "2025-11-25", requiredCount: 18, checks: 250,
		},
		{
			name: "2026-07-28", version: newest, args: []string{"--requirements", "2026-07-28"},
			scenarios: 39, required: "2026-07-28", requiredCount: 32, checks: 406,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := test.args
			var expected []string
			if test.baseline != "" {
				args = append(args, "--expected-failures", test.baseline)
				expected = readScenarios(t, test.baseline)
			}
			r := runner{test.version, client}
			results, err := r.run(t, args...)
			if late, ok := results[timed]; ok && !late.passed() {
				t.Logf("%s, which is repeated: %q", timed, late.faults(false))
				results[timed] = r.repeat(t, timed)
			} else if err != nil {
				t.Error(err)
			}
			if len(results) != test.scenarios {
				t.Errorf("%d scenarios were run, want %d", len(results), test.scenarios)
			}
			for _, scenario := range slices.Sorted(maps.Keys(results)) {
				t.Run(scenario, func(t *testing.T) {
					if slices.Contains(expected, scenario) {
						checkExpectedFailure(t, results[scenario])
						return
					}
					checkScenario(t, results[scenario], slices.Contains(refusals, scenario))
				})
			}
			if test.name == newest {
				for _, scenario := range refusals {
					if _, ok := results[scenario]; !ok {
						t.Errorf("%s, which is expected to be refused, is no scenario", scenario)
					}
				}
			}
			if got := different(results); got < test.checks {
				t.Errorf("%d different checks were passed, want at least %d", got, test.checks)
			}
			if test.required != "" {
				required := readScenarios(t, filepath.Join("node_modules", "conformance-"+test.version, "requirements", test.required+".yaml"))
				if len(required) != test.requiredCount {
					t.Errorf("%s requires %d scenarios, want %d", test.required, len(required), test.requiredCount)
				}
				for _, scenario := range required {
					if !results[scenario].passed() {
						t.Errorf("%s, which %s requires, is not passed", scenario, test.required)
					}
				}
			}
		})
	}
}

func checkScenario(t *testing.T, r result, refusal bool) {
	t.Helper()
	for _, fault := range r.faults(refusal) {
		t.Error(fault)
	}
	if t.Failed() {
		t.Logf("the client wrote:\n%s", r.stderr)
	}
}

// checkExpectedFailure checks a scenario that is in a baseline: the server is
// refused, as the baseline says.
func checkExpectedFailure(t *testing.T, r result) {
	t.Helper()
	if r.count("FAILURE") == 0 || r.exit != "1" {
		t.Errorf("%d checks failed and the client ended with status %q; want failures and status 1\nthe client wrote:\n%s",
			r.count("FAILURE"), r.exit, r.stderr)
	}
}

// readScenarios returns the names below "client" in a YAML file, as baselines
// and requirements have them.
func readScenarios(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Client []string `yaml:"client"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(file.Client) == 0 {
		t.Fatalf("%s lists no scenarios", path)
	}
	return file.Client
}
