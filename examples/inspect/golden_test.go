package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// TestGolden compares what is printed with files, for people to read.
func TestGolden(t *testing.T) {
	books := serve(t, library(t, nil))
	both := configure(t, entries{"library": url(books), "twin": url(serve(t, twin())), "gone": stdio("nonesuch-server")})
	one := configure(t, entries{"library": url(books)})
	invalid := writeFile(t, "invalid.json", `{"mcpServers": {
		"both": {"command": "x", "url": "http://y"},
		"odd": {"command": "x", "sessionPolicy": "none", "env": {"KEY": "${INSPECT_TEST_NOT_SET}"}}
	}}`)
	valid := writeFile(t, "valid.json", `{"mcpServers": {
		"files": {"command": "npx", "args": ["-y", "server", "--token=geheim"], "env": {"KEY": "geheim"}},
		"web": {"url": "https://user:geheim@example.com/mcp?key=geheim", "headers": {"Authorization": "geheim"}}
	}}`)
	tests := []struct {
		name string
		args []string
	}{
		{"help", []string{"-h"}},
		{"servers", []string{"-config", both, "servers"}},
		{"servers_json", []string{"-config", one, "-json", "servers"}},
		{"tools", []string{"-config", both, "tools"}},
		{"tools_prefix", []string{"-config", one, "-prefix", "tools"}},
		{"tools_json", []string{"-config", both, "-server", "twin", "-server", "gone", "-json", "tools"}},
		{"prompts", []string{"-config", one, "prompts"}},
		{"prompts_json", []string{"-config", one, "-json", "prompts"}},
		{"prompt", []string{"-config", one, "prompt", "library", "review", `{"title": "Emma", "stars": 5}`}},
		{"prompt_json", []string{"-config", one, "-json", "prompt", "library", "review", `{"title": "Emma"}`}},
		{"resources", []string{"-config", one, "resources"}},
		{"resources_json", []string{"-config", one, "-json", "resources"}},
		{"read", []string{"-config", one, "read", "library", "book://1"}},
		{"read_bytes", []string{"-config", one, "read", "library", "book://2"}},
		{"read_json", []string{"-config", one, "-json", "read", "library", "book://2"}},
		{"call_image", []string{"-config", one, "call", "cover"}},
		{"call_json", []string{"-config", one, "-json", "call", "cover"}},
		{"call_structured", []string{"-config", one, "call", "count"}},
		{"call_failing", []string{"-config", one, "-json", "call", "burn"}},
		{"call_events", []string{"-config", one, "call", "shelve"}},
		{"validate", []string{"-config", valid, "validate"}},
		{"validate_json", []string{"-config", valid, "-json", "validate"}},
		{"invalid", []string{"-config", invalid, "validate"}},
		{"invalid_json", []string{"-config", invalid, "-json", "validate"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := inspect(t, test.args...)
			got := fmt.Sprintf("%s--- stderr, status %d\n%s", r.stdout, r.status, r.stderr)
			// What differs from run to run, and what other packages word.
			got = regexp.MustCompile("server unavailable: .*").ReplaceAllString(got, "server unavailable: ...")
			for _, path := range []string{both, one, invalid, valid} {
				got = strings.ReplaceAll(got, filepath.Dir(path)+string(filepath.Separator), "")
			}
			file := filepath.Join("testdata", test.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("run with -update if this is right (-want +got):\n%s", diff)
			}
		})
	}
}
