package adapters_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// searchTools returns the tools of the list, for an index.
func searchTools(t testing.TB, list toolList) []tools.Tool {
	t.Helper()
	var made []tools.Tool
	for _, listed := range list.tools {
		tool, err := adapters.NewTool(adapters.ToolConfig{Name: listed.Name, ServerName: listed.server, Tool: listed.Tool, Handler: nil0})
		if err != nil {
			t.Fatalf("%s: %v", listed, err)
		}
		made = append(made, tool)
	}
	return made
}

// hits returns the share of tasks for which one of the tools is among the first
// n that are found, and the queries of the others.
func hits(index *adapters.ToolIndex, tasks []task, n int) (rate float64, missed []string) {
	for _, task := range tasks {
		wanted := strings.Fields(task.tools)
		found := slices.ContainsFunc(index.Find(task.query, n), func(tool tools.Tool) bool { return slices.Contains(wanted, tool.Name()) })
		if !found {
			missed = append(missed, task.query)
		}
	}
	return 1 - float64(len(missed))/float64(len(tasks)), missed
}

func TestToolIndexFindsTasks(t *testing.T) {
	t.Parallel()
	for _, list := range toolLists(t) {
		t.Run(list.name, func(t *testing.T) {
			tasks := tasksFor(list)
			if list.name == "invented" && len(tasks) != len(inventedTasks) {
				t.Errorf("there are tools for %d tasks of %d", len(tasks), len(inventedTasks))
			}
			if len(tasks) == 0 {
				return // none of TOOL_LISTS is known
			}
			index := adapters.NewToolIndex(searchTools(t, list))
			first, _ := hits(index, tasks, 1)
			rate, missed := hits(index, tasks, 5)
			// A few tasks say nothing.
			if len(tasks) >= 20 && rate < 0.8 {
				t.Errorf("among the first five are only %.0f%%", 100*rate)
			}
			t.Logf("%d tools, %d tasks: %.0f%% are the first, %.0f%% among the first five; missed %q", len(list.tools), len(tasks), 100*first, 100*rate, missed)
		})
	}
}

func BenchmarkToolIndexFind(b *testing.B) {
	for _, list := range toolLists(b) {
		tasks := tasksFor(list)
		if len(tasks) == 0 {
			continue
		}
		index := adapters.NewToolIndex(searchTools(b, list))
		b.Run(list.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				index.Find(tasks[i%len(tasks)].query, 5)
			}
			for n, unit := range map[int]string{1: "hit@1", 5: "hit@5", 10: "hit@10"} {
				rate, _ := hits(index, tasks, n)
				b.ReportMetric(rate, unit)
			}
		})
	}
}

func BenchmarkNewToolIndex(b *testing.B) {
	for _, list := range toolLists(b) {
		made := searchTools(b, list)
		b.Run(list.name, func(b *testing.B) {
			for b.Loop() {
				adapters.NewToolIndex(made)
			}
		})
	}
}
