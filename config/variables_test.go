package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestVariables(t *testing.T) {
	opts := &config.ParseOptions{LookupEnv: environment(map[string]string{
		"A": "alpha", "_b1": "beta", "EMPTY": "", "REF": "${A}$A", "ÄÖ": "never",
	})}
	tests := []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"${A}", "alpha"},
		{"<${A}${_b1}>", "<alphabeta>"},
		{"${env:A}/${env:NONE:-x}", "alpha/x"},
		{"${EMPTY}", ""},
		{"${EMPTY:-x}", "x"},
		{"${NONE:-}", ""},
		{"${NONE:-a:-b}", "a:-b"},
		{"${NONE:-$A $ {}", "$A $ {"},
		{"${A:-x}}", "alpha}"},
		{"${REF}", "${A}$A"},
		{"$A $ {A} {A} %A% $$A $", "$A $ {A} {A} %A% $$A $"},
		{"$${A}", "${A}"},
		{"$${", "${"},
		{"$$${A}", "$${A}"},
		{"$${${A}}", "${alpha}"},
		{"${A}$${A}", "alpha${A}"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := config.Parse([]byte(`{"s": {"command": "x", "args": ["`+tt.in+`"]}}`), opts)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{tt.want}, got["s"].(config.Stdio).Args); d != "" {
				t.Errorf("arguments differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestVariablesAreExpandedInValuesOnly(t *testing.T) {
	opts := &config.ParseOptions{LookupEnv: environment(map[string]string{"A": "alpha", "S": "/srv"})}
	got, err := config.Parse([]byte(`{"mcpServers": {
		"${A}": {"command": "${A}", "args": ["${A}"], "cwd": "${S}", "env": {"${A}": "${A}"}, "x": "${NONE}"},
		"h": {"url": "http://${A}/", "headers": {"X": "${A}"}}
	}}`), opts)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Connections{
		"${A}": config.Stdio{Command: "alpha", Args: []string{"alpha"}, Cwd: "/srv", Env: map[string]string{"${A}": "alpha"}},
		"h":    config.StreamableHTTP{URL: "http://alpha/", HTTP: config.HTTP{Headers: map[string][]string{"X": {"alpha"}}}},
	}
	if d := diff(want, got); d != "" {
		t.Errorf("connections differ (-want +got):\n%s", d)
	}
}

func TestVariablesFaults(t *testing.T) {
	const unset = "the variable NONE is not set: set it, or write ${NONE:-default}"
	const invalid = `holds "${" with something that is no name of a variable (letters, digits and "_"): write "$${" for a literal "${"`
	const open = `holds "${" without a "}" after it: write "$${" for a literal "${"`
	const nested = "the default of ${NONE:-...} holds another reference: references do not nest"
	tests := []struct {
		in   string
		want []string
	}{
		{"${NONE}", []string{unset}},
		{"${env:NONE}", []string{unset}},
		{"${NONE} ${OTHER} ${NONE}", []string{unset, strings.ReplaceAll(unset, "NONE", "OTHER")}},
		{"${", []string{open}},
		{"hunter2${hunter2", []string{open}},
		{"${NONE} ${", []string{open, unset}},
		{"${}", []string{invalid}},
		{"${:-x}", []string{invalid}},
		{"${env:}", []string{invalid}},
		{"${hunter 2}", []string{invalid}},
		{"${1hunter2}", []string{invalid}},
		{"${ÄÖ}", []string{invalid}},
		{"${hunter-2}", []string{invalid}},
		{"${A:?hunter2}", []string{invalid}},
		{"${NONE:-${A}}", []string{nested}},
		{"${input:key}", []string{`the input key is not declared in "inputs"`}},
		{"${command:hunter2}", []string{"holds ${command:...}, which is not supported: use a variable, as in ${NAME}"}},
		{"${file:hunter2}", []string{"holds ${file:...}, which is not allowed: set ParseOptions.FileReferences, or use a variable, as in ${NAME}"}},
		{"${workspaceFolder}", []string{"holds ${workspaceFolder}, and no folder is known: set ParseOptions.WorkspaceFolder"}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			data := strings.ReplaceAll(`{
				"http": {"url": "IN", "headers": {"X": "IN"}},
				"stdio": {"command": "IN", "args": ["", "IN"], "cwd": "IN", "env": {"X": "IN"}}
			}`, "IN", tt.in)
			got, err := config.Parse([]byte(data), &config.ParseOptions{LookupEnv: environment(map[string]string{"A": "hunter2"})})
			var want []config.Fault
			for _, key := range []string{"url", "headers.X"} {
				for _, problem := range tt.want {
					want = append(want, config.Fault{Server: "http", Key: key, Problem: problem})
				}
			}
			for _, key := range []string{"command", "args[1]", "cwd", "env.X"} {
				for _, problem := range tt.want {
					want = append(want, config.Fault{Server: "stdio", Key: key, Problem: problem})
				}
			}
			if d := cmp.Diff(want, faultsOf(t, got, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
			}
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestVariablesStayOutOfErrors(t *testing.T) {
	const secret = "hunter2"
	got, err := config.Parse([]byte(`{
		"a": {"url": "http://x:${S}@host:${S}/"},
		"b": {"url": "${S}://host/"},
		"c": {"url": "http://${S}\u0000/", "headers": {"X": "${S}\n"}},
		"d": {"command": "${S}\u0000", "args": ["${S}\u0000"], "cwd": "~/${S}", "env": {"X": "${S}\u0000"}}
	}`), &config.ParseOptions{LookupEnv: func(string) (string, bool) { return secret, true }})
	if n := len(faultsOf(t, got, err)); n != 8 {
		t.Errorf("%d faults, want 8: %v", n, err)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("the error shows a secret: %v", err)
	}
}
