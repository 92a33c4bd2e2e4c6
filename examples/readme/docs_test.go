package readme_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	// What only snippets import has to be in go.mod as well.
	_ "github.com/langchaingo-mcp/mcpadapters/adapters/agent"
	_ "github.com/langchaingo-mcp/mcpadapters/config/watch"
)

var snippet = regexp.MustCompile("(?s)```go\n(.*?)```")

// known are the imports of the snippets, by the names that they use.
var known = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "filepath": "path/filepath", "http": "net/http", "log": "log", "os": "os", "signal": "os/signal", "slog": "log/slog", "sync": "sync", "syscall": "syscall", "time": "time", "tls": "crypto/tls", "url": "net/url", "x509": "crypto/x509",
	"adapters":     "github.com/langchaingo-mcp/mcpadapters/adapters",
	"agent":        "github.com/langchaingo-mcp/mcpadapters/adapters/agent",
	"agents":       "github.com/tmc/langchaingo/agents",
	"auth":         "github.com/langchaingo-mcp/mcpadapters/auth",
	"callbacks":    "github.com/langchaingo-mcp/mcpadapters/callbacks",
	"chains":       "github.com/tmc/langchaingo/chains",
	"config":       "github.com/langchaingo-mcp/mcpadapters/config",
	"elicitation":  "github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation",
	"filestore":    "github.com/langchaingo-mcp/mcpadapters/auth/filestore",
	"gateway":      "github.com/langchaingo-mcp/mcpadapters/gateway",
	"interceptors": "github.com/langchaingo-mcp/mcpadapters/interceptors",
	"llms":         "github.com/tmc/langchaingo/llms",
	"loopback":     "github.com/langchaingo-mcp/mcpadapters/auth/loopback",
	"mcp":          "github.com/modelcontextprotocol/go-sdk/mcp",
	"multiclient":  "github.com/langchaingo-mcp/mcpadapters/multiclient",
	"retry":        "github.com/langchaingo-mcp/mcpadapters/interceptors/retry",
	"tools":        "github.com/tmc/langchaingo/tools",
	"watch":        "github.com/langchaingo-mcp/mcpadapters/config/watch",
}

// surroundings are what the snippets have around them.
const surroundings = `
var (
	audit       interceptors.Interceptor
	certificate tls.Certificate
	client      *multiclient.MultiServerClient
	connections config.Connections
	ctx         context.Context
	dir         string
	model       llms.Model
	opts        *config.ParseOptions
	proxy       *url.URL
	question    string
	r           *http.Request
	roots       *x509.CertPool
)

func ask(server, title string, choices []elicitation.Choice) (string, bool) { return "", false }
func show(string)                                                           {}
func tokenOf(context.Context, string) string { return "" }
func work(context.Context, *multiclient.MultiServerClient) error { return nil }
func userOf(context.Context) (user struct{ ID, Token string }) { return user }
`

// TestDocuments builds the snippets of documents, which are declarations,
// statements or an expression. "..." stands for what happens in between.
func TestDocuments(t *testing.T) {
	root, err := os.MkdirTemp(".", "snippets") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	for _, path := range []string{"README.md", "docs/agents.md", "docs/configuration.md", "docs/gateway.md", "docs/python.md", "docs/selection.md", "docs/sessions.md", "docs/sign-in.md"} {
		document := filepath.Base(path)
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		found := snippet.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s has no snippets", document)
		}
		for i, match := range found {
			if bytes.HasPrefix(match[1], []byte("package ")) {
				continue // TestProgram runs it
			}
			program, err := complete(string(match[1]))
			if err != nil {
				t.Errorf("%s, snippet %d: %v", document, i+1, err)
				continue
			}
			folder := filepath.Join(root, fmt.Sprintf("%s_%d", strings.TrimSuffix(document, ".md"), i+1))
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "snippet.go"), []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	vet := exec.Command("go", "vet", "./"+root+"/...")
	vet.Env = append(os.Environ(), "GOWORK=off") // the module stands by itself
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// complete makes a package of a snippet.
func complete(code string) (string, error) {
	body := surroundings + code // declarations
	if !parses(body) {
		body = surroundings + "\nvar _ = " + strings.TrimSpace(code) + "\n"
	}
	if !parses(body) {
		body = surroundings + "\nfunc _(" + parameters(code) + ") error {\n" + statements(strings.Split(code, "\n...\n")) + "return nil\n}\n"
	}
	if !parses(body) {
		return "", fmt.Errorf("it is no Go:\n%s", code)
	}
	var imports []string
	for name, path := range known {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			imports = append(imports, fmt.Sprintf("import %s %q\n", name, path))
		}
	}
	slices.Sort(imports)
	return "package snippet\n\n" + strings.Join(imports, "") + body, nil
}

// parameters declares what has the name of a package in a snippet that does not use
// the package, nor declares it.
func parameters(code string) string {
	var all []string
	for name, kind := range map[string]string{"tools": "[]tools.Tool", "url": "string"} {
		if !regexp.MustCompile(`\b` + name + `(\.[A-Z]|.*:=)`).MatchString(code) {
			all = append(all, name+" "+kind)
		}
	}
	return strings.Join(all, ", ")
}

func parses(body string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\n"+body, 0)
	return err == nil
}

// statements puts each part into the scope of the one before, so that it may
// declare the same names, and uses what is declared.
func statements(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	code := parts[0] + "\n"
	if file, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\nfunc _() {\n"+code+"}", 0); err == nil {
		for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
			if assign, ok := statement.(*ast.AssignStmt); ok && assign.Tok == token.DEFINE {
				for _, name := range assign.Lhs {
					code += "_ = " + name.(*ast.Ident).Name + "\n"
				}
			}
		}
	}
	return code + "{\n" + statements(parts[1:]) + "}\n"
}
