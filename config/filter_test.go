package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestToolFilterPermits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		filter config.ToolFilter
		yes    []string
		no     []string
	}{
		{"zero", config.ToolFilter{}, []string{"", "a", "a/b"}, nil},
		{"allow", config.ToolFilter{Allow: []string{"read", "list_*"}}, []string{"read", "list_", "list_x/y"}, []string{"", "Read", "reader", "alist_"}},
		{"allow none", config.ToolFilter{Allow: []string{}}, nil, []string{"", "a"}},
		{"deny", config.ToolFilter{Deny: []string{"delete*", "drop"}}, []string{"read", "undelete"}, []string{"delete", "delete/all", "drop"}},
		{"deny wins", config.ToolFilter{Allow: []string{"a", "b*"}, Deny: []string{"a", "?x"}}, []string{"b", "bxx"}, []string{"a", "bx", "c"}},
		{"all but", config.ToolFilter{Allow: []string{"*"}, Deny: []string{"[a-c]*"}}, []string{"d", "d/a"}, []string{"a", "b/c"}},
		{"separator in a class", config.ToolFilter{Allow: []string{"a[/.]b", "c[^x]d"}}, []string{"a/b", "a.b", "c/d"}, []string{"axb", "cxd"}},
		{"escaped", config.ToolFilter{Allow: []string{`a\*`}}, []string{"a*"}, []string{"ab", `a\*x`}},
		{"no pattern", config.ToolFilter{Allow: []string{"a["}}, []string{"a["}, []string{"a", "ab"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range test.yes {
				if !test.filter.Permits(tool) {
					t.Errorf("%q is not permitted", tool)
				}
			}
			for _, tool := range test.no {
				if test.filter.Permits(tool) {
					t.Errorf("%q is permitted", tool)
				}
			}
		})
	}
}

func TestToolFilterNames(t *testing.T) {
	t.Parallel()
	f := config.ToolFilter{Allow: []string{"b", "a*", "a", "b"}, Deny: []string{"c", "?", "[x]", `\y`, "a"}}
	if diff := cmp.Diff([]string{"b", "a", "c"}, f.Names()); diff != "" {
		t.Error(diff)
	}
	if got := (config.ToolFilter{}).Names(); got != nil {
		t.Errorf("names of the zero filter are %q", got)
	}
}

func TestToolFilterFaults(t *testing.T) {
	t.Parallel()
	connections := config.Connections{"s": config.InMemory{Server: newServer(), Settings: config.Settings{
		Tools: config.ToolFilter{Allow: []string{"ok*", "", "a["}, Deny: []string{`b\`}},
	}}}
	const remedy = ` is no valid pattern: close "[" by "]", and write "\\" before a character that stands for itself`
	want := []config.Fault{
		{Server: "s", Key: "excludeTools[0]", Problem: `"b\\"` + remedy},
		{Server: "s", Key: "includeTools[1]", Problem: "is empty: give the name of a tool or a pattern"},
		{Server: "s", Key: "includeTools[2]", Problem: `"a["` + remedy},
	}
	if diff := cmp.Diff(want, faultsOf(t, nil, connections.Validate())); diff != "" {
		t.Error(diff)
	}
}
