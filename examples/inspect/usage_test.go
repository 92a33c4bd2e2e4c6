package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUsage checks what is said about command lines and files that make no
// sense, in both forms.
func TestUsage(t *testing.T) {
	fine := configure(t, entries{"a": stdio("nonesuch"), "b": stdio("nonesuch")})
	empty := writeFile(t, "empty.json", `{"mcpServers": {"off": {"command": "x", "disabled": true}}}`)
	broken := writeFile(t, "broken.json", "{\n  oops")
	tests := []struct {
		name string
		args []string
		kind string
		want string
	}{
		{"nothing", nil, kindUsage, "say what to do: one of servers, tools,"},
		{"no verb", []string{"-config", fine}, kindUsage, "say what to do"},
		{"unknown verb", []string{"-config", fine, "frob"}, kindUsage, `"frob" is not known`},
		{"unknown flag", []string{"-config", fine, "-nope", "tools"}, kindUsage, "-nope"},
		{"flag without value", []string{"tools", "-config"}, kindUsage, "-config"},
		{"no configuration", []string{"tools"}, kindUsage, "-config FILE is missing"},
		{"no configuration to validate", []string{"validate"}, kindUsage, "-config FILE is missing"},
		{"too many", []string{"-config", fine, "tools", "x"}, kindUsage, "tools takes no arguments: 1 given"},
		{"too few", []string{"-config", fine, "prompt", "a"}, kindUsage, "prompt takes SERVER NAME [JSON]: 1 given"},
		{"bad timeout", []string{"-config", fine, "-timeout", "20", "tools"}, kindUsage, "such as 20s"},
		{"timeout of nothing", []string{"-config", fine, "-timeout", "0s", "tools"}, kindUsage, "such as 20s"},
		{"bad answer", []string{"-config", fine, "-elicit", "yes", "tools"}, kindUsage, "use accept, decline, cancel or a JSON object"},
		{"answer that is no object", []string{"-config", fine, "-elicit", "null", "tools"}, kindUsage, "use accept, decline, cancel or a JSON object"},
		{"browser without login", []string{"-config", fine, "-browser", "tools"}, kindUsage, "-browser is for -login, which is missing"},
		{"tokens without login", []string{"-config", fine, "-tokens", "x", "tools"}, kindUsage, "-tokens is for -login, which is missing"},
		{"unknown server", []string{"-config", fine, "-server", "c", "tools"}, kindUsage, `there is no server "c", only "a", "b"`},
		{"unknown server to validate", []string{"-config", fine, "-server", "c", "validate"}, kindUsage, `there is no server "c", only "a", "b"`},
		{"unknown server of a prompt", []string{"-config", fine, "prompt", "c", "p"}, kindUsage, `there is no server "c", only "a", "b"`},
		{"unknown server of a resource", []string{"-config", fine, "read", "c", "u"}, kindUsage, `there is no server "c", only "a", "b"`},
		{"server that was not chosen", []string{"-config", fine, "-server", "a", "read", "b", "u"}, kindUsage, `there is no server "b", only "a"`},
		{"arguments that are an array", []string{"-config", fine, "call", "x", "[1]"}, kindUsage, "no JSON object but of type array"},
		{"arguments that are null", []string{"-config", fine, "call", "x", "null"}, kindUsage, "leave them out"},
		{"arguments that are empty", []string{"-config", fine, "call", "x", " "}, kindUsage, "leave them out"},
		{"arguments that are cut off", []string{"-config", fine, "call", "x", `{"a": `}, kindUsage, "the arguments are no JSON"},
		{"arguments with more after them", []string{"-config", fine, "call", "x", `{} {}`}, kindUsage, "something follows the arguments"},
		{"arguments with a brace after them", []string{"-config", fine, "call", "x", `{}}`}, kindUsage, "something follows the arguments"},
		{"nothing on standard input", []string{"-config", fine, "call", "x", "-"}, kindUsage, "leave them out"},
		{"prompt with a list", []string{"-config", fine, "prompt", "a", "p", `{"x": [1]}`}, kindUsage, `the argument "x" is no text`},
		{"no file", []string{"-config", "nonesuch.json", "tools"}, kindConfiguration, "nonesuch.json: cannot be read: "},
		{"no file to validate", []string{"-config", "nonesuch.json", "validate"}, kindConfiguration, "nonesuch.json: cannot be read: "},
		{"file that is no JSON", []string{"-config", broken, "servers"}, kindConfiguration, "broken.json:2:3: "},
		{"no server", []string{"-config", empty, "tools"}, kindConfiguration, "empty.json has no server that is enabled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := inspect(t, test.args...)
			if test.args != nil && test.args[len(test.args)-1] == "validate" && test.kind == kindConfiguration {
				r.must(t, statusUsage, test.want, "")
			} else {
				r.must(t, statusUsage, "", "inspect: ")
				r.must(t, statusUsage, "", test.want)
			}

			r = inspect(t, append([]string{"-json"}, test.args...)...)
			r.must(t, statusUsage, "{", test.want)
			problems := errorsOf(t, r)
			if len(problems) != 1 || problems[0].Kind != test.kind || problems[0].Message == "" {
				t.Errorf("problems are %+v, want one of the kind %q", problems, test.kind)
			}
		})
	}
}

// TestJSONAfterMistake: a script gets its document even if the flag that asks
// for it comes too late to be read.
func TestJSONAfterMistake(t *testing.T) {
	errorsOf(t, inspect(t, "-nope", "-json"))
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}, {"help"}, {"call", "-h"}, {"-config", "x", "-h", "tools"}} {
		r := inspect(t, args...)
		r.must(t, statusOK, usage, "")
	}
}

func TestEmptyIsValid(t *testing.T) {
	r := inspect(t, "-config", writeFile(t, "empty.json", `{"mcpServers": {}}`), "validate")
	r.must(t, statusOK, "valid, but has no server", "")
}

func TestFlagsAnywhere(t *testing.T) {
	want, err := parseOptions([]string{"-config", "f", "-json", "-server", "a", "-server", "b", "call", "tool", "{}"})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"call", "tool", "{}", "-config", "f", "-json", "-server", "a", "-server", "b"},
		{"-json", "call", "-server=a", "tool", "--server", "b", "{}", "-config=f"},
		{"-config", "f", "-json", "-server", "a", "-server", "b", "--", "call", "tool", "{}"},
	} {
		got, err := parseOptions(args)
		if err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		ignoreVerb := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "verb" }, cmp.Ignore())
		if diff := cmp.Diff(want, got, ignoreVerb, cmp.AllowUnexported(options{})); diff != "" || got.verb.name != "call" {
			t.Errorf("%q: verb %q, options (-want +got):\n%s", args, got.verb.name, diff)
		}
	}
	// What looks like a flag but is none.
	got, err := parseOptions([]string{"-config", "f", "call", "--", "-", "-json"})
	if diff := cmp.Diff([]string{"-", "-json"}, got.args); err != nil || diff != "" {
		t.Errorf("error %v, arguments (-want +got):\n%s", err, diff)
	}
}
