package architecture

import (
	"strings"
	"testing"
)

func TestSourceFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want string // in the only fault; "" for none
	}{
		{"clean", "import (\"errors\"; \"fmt\"; \"io\"; \"log/slog\"; \"os\")\n" +
			"var ErrX = errors.New(\"x\")\nvar state int\nconst C = 1\nvar _ io.Writer = os.NewFile(0, \"\")\n" +
			"func f(w io.Writer, l *slog.Logger) { fmt.Fprintln(w); l.Info(\"x\"); _ = slog.New(nil) }\n", ""},
		{"a method named init", "type T int\nfunc (T) init() {}\n", ""},
		{"a variable named like a package", "import \"log\"\nfunc f(log interface{ Print() }) { log.Print() }\nvar _ = 0\n", ""},
		{"a variable named like a builtin", "func f(println func()) { println() }\n", ""},
		{"as long as allowed", strings.Repeat("\n", maxLines-1), ""},

		{"too long", strings.Repeat("\n", maxLines), "split it"},
		{"init", "func init() {}\n", "x.go:2:1: func init"},
		{"exported variable", "var (\n\ta int\n\tB, c int\n)\n", "x.go:4:2: exported variable B"},
		{"fmt", "import \"fmt\"\nfunc f() { fmt.Printf(\"\") }\n", "x.go:3:12: fmt.Printf"},
		{"fmt as a value", "import \"fmt\"\nvar p = fmt.Println\n", "fmt.Println"},
		{"fmt by another name", "import out \"fmt\"\nfunc f() { out.Print() }\n", "out.Print"},
		{"log", "import \"log\"\nvar l = log.New(nil, \"\", 0)\n", "log.New"},
		{"slog's default", "import \"log/slog\"\nfunc f() { slog.Info(\"x\") }\n", "slog.Info"},
		{"standard output", "import \"os\"\nvar out = os.Stdout\n", "os.Stdout"},
		{"standard error", "import \"os\"\nfunc f() { os.Stderr.Close() }\n", "os.Stderr"},
		{"print", "func f() { print(1) }\n", "print"},
		{"println", "func f() { go func() { println() }() }\n", "println"},
		{"dot import", "import . \"fmt\"\n", "dot import"},
		{"no Go", "func {", "expected"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			faults := sourceFaults(source{name: "x.go", text: []byte("package x\n" + test.text)})
			if test.want == "" {
				if len(faults) != 0 {
					t.Errorf("faults are %q, want none", faults)
				}
			} else if len(faults) == 0 || !strings.Contains(faults[0], test.want) {
				t.Errorf("faults are %q, want one with %q", faults, test.want)
			}
		})
	}
}

func TestSourceFaultsOfTests(t *testing.T) {
	t.Parallel()
	const text = "package x\nimport \"fmt\"\nfunc Example() { fmt.Println() }\n"
	if faults := sourceFaults(source{name: "x_test.go", text: []byte(text), test: true}); len(faults) != 0 {
		t.Errorf("faults are %q, want none, since tests may print", faults)
	}
	if faults := sourceFaults(source{name: "x_test.go", text: []byte(text + "func init() {}\n"), test: true}); len(faults) != 1 {
		t.Errorf("faults are %q, want init", faults)
	}
}

func TestDocumented(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"// Package x does.\npackage x\n":       true,
		"/*\nPackage x does.\n*/\npackage x\n":  true,
		"package x\n":                           false,
		"// Package x does.\n\npackage x\n":     false, // a blank line makes it an ordinary comment
		"// Package another does.\npackage x\n": false,
		"":                                      false,
	} {
		if got := documented([]byte(text)); got != want {
			t.Errorf("documented(%q) = %v, want %v", text, got, want)
		}
	}
}
