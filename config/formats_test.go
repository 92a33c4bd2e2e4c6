package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestParseTellsFormatsApart(t *testing.T) {
	want := config.Connections{"s": config.Stdio{Command: "x", Args: []string{"# {"}}}
	for _, text := range []string{
		`{"s": {"command": "x", "args": ["# {"]}}`,
		"// comment\n{\"s\": {\"command\": \"x\", \"args\": [\"# {\",],},} // end",
		"/* comment: x = 1 */ {\"s\": {\"command\": \"x\", \"args\": [\"# {\"]}}",
		"# comment\n\n[s]\ncommand = 'x'\nargs = ['# {']",
		"[mcp_servers . \"s\"] # comment\ncommand = 'x'\nargs = ['# {']",
		"s = {command = 'x', args = ['# {']}",
		"s.command = 'x'\ns.args = ['# {']",
		"\"s\".command = 'x'\ns.args = ['# {']",
		"# comment\ns:\n  command: x\n  args: ['# {']",
		"---\nmcpServers: {s: {command: x, args: ['# {']}}\n...\n",
		"\"s\":\n  command: x\n  args: ['# {']",
		"\xef\xbb\xbfs:\n  command: x\n  args: ['# {']",
	} {
		got, err := config.Parse([]byte(text), nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if d := diff(want, got); d != "" {
			t.Errorf("%q: connections differ (-want +got):\n%s", text, d)
		}
	}
}

func TestSyntaxFaults(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c [%s]\n", c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	merges := "a: &a {" + strings.TrimSuffix(strings.Repeat("k: v, ", 1000), ", ") + "}\nb: {<<: [" + strings.TrimSuffix(strings.Repeat("*a, ", 200), ", ") + "]}"
	tests := []struct {
		name   string
		format config.Format
		text   string
		want   string
	}{
		{"TOML value", config.FormatTOML, "\"ü\" = 'x'\na = ", `2:4: expected value, not end of input`},
		{"TOML table twice", config.FormatTOML, "[s]\n[t]\n[s]", `3:2: table s already exists`},
		{"TOML key twice", config.FormatTOML, "[s]\ncommand = 'hunter2'\ncommand = 'hunter2'", `3:1: key command is already defined`},
		{"TOML column in characters", config.FormatTOML, `s = "ü" hunter2`, `1:9: expected newline but got U+0068 'h'`},
		{"TOML number", config.FormatTOML, "s = 1e999999999999999999999", `1:5: is no number`},
		{"TOML depth", config.FormatTOML, "s = " + strings.Repeat("[", 500) + strings.Repeat("]", 500), `1:1: is nested deeper than 100 levels`},
		{"TOML depth of a key", config.FormatTOML, strings.Repeat("a.", 200) + "a = 1", `1:405: is nested deeper than 100 levels`},
		{"TOML depth of a table", config.FormatTOML, "[" + strings.Repeat("a.", 200) + "a]", `1:202: is nested deeper than 100 levels`},
		{"YAML flow", config.FormatYAML, "s: [", `2:1: while parsing a flow node: did not find expected node content`},
		{"YAML nested", config.FormatYAML, "ü: s: hunter2", `1:5: a ":" where no key can be: look at the indentation of this line and of the one before it, or put the text in quotes`},
		{"YAML tab", config.FormatYAML, "s:\n\tx: 1", `2:1: is indented by a tab: YAML takes only spaces`},
		{"YAML tab after spaces", config.FormatYAML, "s:\n  x:\n  \t- hunter2", `3:3: is indented by a tab: YAML takes only spaces`},
		{"YAML at sign", config.FormatYAML, "s: {command: @hunter2}", `1:14: begins with a character that no text can begin with: put it in quotes`},
		{"YAML key to the left", config.FormatYAML, "s:\n  x:\n    command: a\n   args: hunter2", `4:4: something begins in another column than what it belongs to: look at the indentation of this line and of those before it`},
		{"YAML servers beside their key", config.FormatYAML, "mcpServers:\nmath:\n  command: hunter2", `2:1: "math" is beside "mcpServers", which is empty: put it inside: indent it further`},
		{"YAML alias", config.FormatYAML, "s: x\nt: *hunter2", `2:4: holds an alias ("*name") of an anchor ("&name") that is not there: put a text that begins with "*" in quotes`},
		{"YAML alias of itself", config.FormatYAML, "s: &s [*s]", `1:8: is an alias of what it is part of`},
		{"YAML bomb", config.FormatYAML, bomb, `5:29: holds more than 100000 values`},
		{"YAML merges", config.FormatYAML, merges, `2:402: holds more than 100000 values`},
		{"YAML merge of a list", config.FormatYAML, "s: {<<: [x]}", `1:10: "<<" expects mappings, found string`},
		{"YAML merge of a string", config.FormatYAML, "s: {<<: x}", `1:9: "<<" expects a mapping, found string`},
		{"YAML key", config.FormatYAML, "s: {[a]: b}", `1:5: a key is no string`},
		{"YAML depth", config.FormatYAML, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), `1:102: is nested deeper than 100 levels`},
		{"YAML two documents", config.FormatYAML, "a: 1\n---\nb: 1", `1:1: holds several documents: keep one, and no line "---" after it`},
		{"YAML empty", config.FormatYAML, " # nothing\n", `1:1: is empty: write "mcpServers: {}" if there are to be no servers`},
		{"YAML duplicate", config.FormatYAML, "s: {command: x}\ns: {command: x}", `2:1: server "s": is there more than once: the first is on line 1`},
		{"JSON size", config.FormatJSON, "[" + strings.Repeat("0,", 100_001) + "0]", `1:200000: holds more than 100000 values`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := config.Read(t.Context(), nil, config.Source{Data: []byte(tt.text), Format: tt.format})
			if err == nil || err.Error() != "config: "+tt.want {
				t.Errorf("error is %v, want %s", err, tt.want)
			}
			if result == nil || strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Error("no result, or the error shows a value")
			}
		})
	}
}

func TestFilesOfOneLongLine(t *testing.T) {
	// Positions are counted in one pass, or this would take minutes.
	var b strings.Builder
	b.WriteString(`{"mcpServers": {"s": {"command": "x"`)
	for i := range 5_000 {
		fmt.Fprintf(&b, `, "k%d": "ü"`, i)
	}
	b.WriteString("}}}")
	result, err := config.Read(t.Context(), nil, config.Source{Data: []byte(b.String())})
	if err != nil || len(result.Warnings) != 5_000 {
		t.Errorf("%d warnings, error %v", len(result.Warnings), err)
	}
}

// TestYAMLIndentation: what stands where the names of servers should is told
// with what to do.
func TestYAMLIndentation(t *testing.T) {
	for text, want := range map[string]string{
		"mcpServers:\n  math:\n  command: python\n  args: [x]\n": `config: 3 faults:
  2:3: server "math": expected an object with "command" or "url", found nothing: indent the keys of a server further than its name
  3:3: server "command": is a key of a server, but stands where their names are: put it into a server: indent it further
  4:3: server "args": is a key of a server, but stands where their names are: put it into a server: indent it further`,
		"mcpServers:\n  math:\n    command: python\nnews:\n  url: https://news.example.com\nx-slow: &slow {command: x}\n": `[4:1: "news" looks like a server, but is beside "mcpServers", where it has no effect: put it inside: indent it further]`,
	} {
		result, err := config.Read(t.Context(), nil, config.Source{Data: []byte(text), Format: config.FormatYAML})
		got := fmt.Sprint(result.Warnings)
		if err != nil {
			got = err.Error()
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n(-want +got):\n%s", text, d)
		}
	}
}
