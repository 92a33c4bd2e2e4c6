package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// maxLines is where a file holds more than one idea.
const maxLines = 350

// A source is one Go file of the module.
type source struct {
	name string // path inside the module
	text []byte

	// test says that it is test code: a test file or one of a test helper. It
	// may write output.
	test bool
}

// sourceFaults lists what the rules for source files find in one, each with
// its position. Files have no package-level state that others can change, no
// init, and no output: a library reports by its results and by the
// *slog.Logger it is given.
func sourceFaults(s source) []string {
	var faults []string
	if lines := bytes.Count(s.text, []byte("\n")); lines > maxLines {
		faults = append(faults, fmt.Sprintf("%s: %d lines, more than %d: split it by ideas", s.name, lines, maxLines))
	}
	fset := token.NewFileSet()
	// The objects that the parser resolves tell the package log from a
	// variable of that name.
	file, err := parser.ParseFile(fset, s.name, s.text, 0)
	if err != nil {
		return append(faults, err.Error())
	}
	fault := func(pos token.Pos, problem string) {
		faults = append(faults, fmt.Sprintf("%v: %s", fset.Position(pos), problem))
	}
	declarationFaults(file, fault)
	if !s.test {
		outputFaults(file, fault)
	}
	return faults
}

func declarationFaults(file *ast.File, fault func(token.Pos, string)) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				fault(d.Pos(), "func init: do it where it is needed")
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
						fault(name.Pos(), "exported variable "+name.Name+": anyone can change it")
					}
				}
			}
		}
	}
}

// output lists, by import path, the names whose use writes where nobody asked
// for it; "*" stands for all of a package.
var output = map[string][]string{
	"fmt": {"Print", "Printf", "Println"},
	"log": {"*"},
	"log/slog": {
		"Debug", "DebugContext", "Default", "Error", "ErrorContext", "Info", "InfoContext",
		"Log", "LogAttrs", "SetDefault", "Warn", "WarnContext",
	},
	"os": {"Stderr", "Stdout"},
}

func outputFaults(file *ast.File, fault func(token.Pos, string)) {
	packages := map[string]string{} // name in this file to path
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value) // the parser accepted it
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			fault(spec.Pos(), "dot import hides where names come from")
		}
		packages[name] = path
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil {
				names := output[packages[x.Name]]
				if slices.Contains(names, n.Sel.Name) || slices.Contains(names, "*") {
					fault(n.Pos(), x.Name+"."+n.Sel.Name+": a library writes no output")
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Obj == nil && (f.Name == "print" || f.Name == "println") {
				fault(n.Pos(), f.Name+": a library writes no output")
			}
		}
		return true
	})
}

// documented reports whether text is a doc.go: a file that holds the comment
// of its package.
func documented(text []byte) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" ")
}
