package watch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/config/watch"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	a, b := config.Stdio{Command: "a"}, config.Stdio{Command: "b"}
	tests := []struct {
		old, new config.Connections
		want     watch.Changes
	}{
		{nil, nil, watch.Changes{}},
		{nil, config.Connections{}, watch.Changes{}},
		{nil, config.Connections{"y": a, "x": a}, watch.Changes{Added: []string{"x", "y"}}},
		{config.Connections{"y": a, "x": a}, nil, watch.Changes{Removed: []string{"x", "y"}}},
		{config.Connections{"x": a}, config.Connections{"x": config.Stdio{Command: "a"}}, watch.Changes{}},
		{config.Connections{"x": a}, config.Connections{"x": b}, watch.Changes{Changed: []string{"x"}}},
		{config.Connections{"x": a}, config.Connections{"x": config.SSE{}}, watch.Changes{Changed: []string{"x"}}},
		{config.Connections{"x": a}, config.Connections{"x": config.Stdio{Command: "a", Settings: config.Settings{Tools: config.ToolFilter{Deny: []string{"t"}}}}},
			watch.Changes{Changed: []string{"x"}}},
		{config.Connections{"gone": a, "same": a, "other": a}, config.Connections{"same": a, "other": b, "new": b},
			watch.Changes{Added: []string{"new"}, Removed: []string{"gone"}, Changed: []string{"other"}}},
	}
	for _, tt := range tests {
		got := watch.Diff(tt.old, tt.new)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%v to %v (-want +got):\n%s", tt.old, tt.new, d)
		}
		if got.Empty() != cmp.Equal(tt.want, watch.Changes{}) {
			t.Errorf("%v is empty: %v", got, got.Empty())
		}
	}
}
