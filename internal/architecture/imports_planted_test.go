package architecture

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImportFaults(t *testing.T) {
	t.Parallel()
	m, lc := module+"/", langchaingo+"/"
	tests := []struct {
		name string
		g    graph
		want []string
	}{
		{"nothing", graph{}, nil},
		{"the house as designed", graph{
			m + "callbacks":              {},
			m + "callbacks/elicitation":  {imports: []string{m + "callbacks", "fmt"}},
			m + "callbacks/sampling":     {imports: []string{m + "callbacks", m + "callbacks/elicitation", lc + "llms"}},
			m + "interceptors":           {testImports: []string{m + "interceptors", m + "internal/leak"}},
			m + "interceptors/retry":     {imports: []string{m + "interceptors"}},
			m + "config":                 {imports: []string{m + "internal/edits", "github.com/modelcontextprotocol/go-sdk/mcp"}},
			m + "config/watch":           {imports: []string{m + "config"}},
			m + "adapters":               {imports: []string{m + "interceptors", lc + "llms", lc + "tools"}},
			m + "internal/session":       {imports: []string{m + "config", m + "callbacks", m + "internal/calls"}},
			m + "internal/edits":         {},
			m + "internal/testserver":    {imports: []string{m + "internal/leak"}},
			m + "multiclient":            {imports: []string{m + "adapters", m + "internal/session", lc + "tools"}},
			lc + "chains":                {imports: []string{lc + "prompts"}},
			"github.com/other/langchain": {imports: []string{lc + "agents"}},
		}, nil},

		{"config knows a neighbour", graph{m + "config": {imports: []string{m + "callbacks"}}},
			[]string{"config must not import " + m + "callbacks"}},
		{"config knows a package below", graph{m + "config": {imports: []string{m + "config/watch"}}},
			[]string{"config must not import " + m + "config/watch"}},
		{"callbacks knows a package below", graph{m + "callbacks": {imports: []string{m + "callbacks/elicitation"}}},
			[]string{"callbacks must not import " + m + "callbacks/elicitation"}},
		{"callbacks knows langchaingo", graph{m + "callbacks": {imports: []string{lc + "llms"}}},
			[]string{"callbacks must not import " + lc + "llms"}},
		{"callbacks without a model know langchaingo", graph{m + "callbacks/logging": {imports: []string{lc + "llms"}}},
			[]string{"callbacks/logging must not import " + lc + "llms"}},
		{"a bridge to a model knows adapters", graph{m + "callbacks/sampling": {imports: []string{m + "adapters"}}},
			[]string{"callbacks/sampling must not import " + m + "adapters"}},
		{"an interceptor knows callbacks", graph{m + "interceptors/logging": {imports: []string{m + "callbacks"}}},
			[]string{"interceptors/logging must not import " + m + "callbacks"}},
		{"an interceptor knows langchaingo", graph{m + "interceptors/logging": {imports: []string{lc + "llms"}}},
			[]string{"interceptors/logging must not import " + lc + "llms"}},
		{"adapters knows config", graph{m + "adapters": {imports: []string{m + "config"}}},
			[]string{"adapters must not import " + m + "config"}},
		{"adapters knows internal", graph{m + "adapters": {imports: []string{m + "internal/calls"}}},
			[]string{"adapters must not import " + m + "internal/calls"}},
		{"what the public packages share knows internal", graph{m + "internal/edits": {imports: []string{m + "internal/calls"}}},
			[]string{"internal/edits must not import " + m + "internal/calls"}},
		{"internal knows adapters", graph{m + "internal/session": {imports: []string{m + "adapters"}}},
			[]string{"internal/session must not import " + m + "adapters"}},
		{"internal knows the client", graph{m + "internal/session": {imports: []string{m + "multiclient"}}},
			[]string{"internal/session must not import " + m + "multiclient"}},
		{"internal knows langchaingo", graph{m + "internal/session": {imports: []string{lc + "tools"}}},
			[]string{"internal/session must not import " + lc + "tools"}},
		{"the client knows more of langchaingo than tools", graph{m + "multiclient": {imports: []string{lc + "llms"}}},
			[]string{"multiclient must not import " + lc + "llms"}},
		{"a similar name is another package", graph{m + "config": {imports: []string{m + "configuration"}}},
			[]string{"config must not import " + m + "configuration"}},
		{"a room that the design does not have", graph{m + "utils": {}},
			[]string{"utils: no rule says what it may import"}},
		{"library code uses a test helper", graph{m + "multiclient": {imports: []string{m + "internal/testserver"}}},
			[]string{"multiclient must not import " + m + "internal/testserver"}},

		{"chains, directly", graph{m + "adapters": {imports: []string{lc + "chains"}}},
			[]string{"nothing may import chains: " + m + "adapters -> " + lc + "chains"}},
		{"agents, in a test", graph{m + "config": {testImports: []string{lc + "agents"}}},
			[]string{"nothing may import agents: " + m + "config -> " + lc + "agents"}},
		{"prompts, by a detour in a cycle of tests", graph{
			m + "adapters":    {imports: []string{lc + "memory"}, testImports: []string{m + "adapters"}},
			lc + "memory":     {imports: []string{"fmt", lc + "x"}},
			lc + "x":          {imports: []string{lc + "prompts/sub"}},
			lc + "promptlike": {},
		}, []string{"nothing may import prompts: " + m + "adapters -> " + lc + "memory -> " + lc + "x -> " + lc + "prompts/sub"}},
		{"the tests of a dependency do not count", graph{
			m + "adapters": {imports: []string{lc + "llms"}},
			lc + "llms":    {testImports: []string{lc + "chains"}},
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, importFaults(test.g)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTestHelpersAreInternal(t *testing.T) {
	t.Parallel()
	if i := slices.IndexFunc(testHelpers, func(path string) bool { return !within(path, "internal/*") }); i >= 0 {
		t.Errorf("%s can be imported by users", testHelpers[i])
	}
}
