package adapters_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// tasks are what a model might look for among the tools of the corpus, in its
// own words, and the tools that do it. The corpus has no descriptions, so that
// only names and arguments can tell.
var tasks = []struct{ query, tools string }{
	{"open a pull request on GitHub", "create_pull_request"},
	{"list the open pull requests of a repository", "list_pull_requests"},
	{"merge a pull request", "merge_pull_request"},
	{"add a comment to an issue", "add_issue_comment"},
	{"search for code in repositories", "search_code"},
	{"create a new branch", "create_branch"},
	{"fork this repository", "fork_repository"},
	{"push several files in one commit", "push_files"},
	{"read the contents of a file in a repository", "get_file_contents"},
	{"see the commits of a branch", "list_commits get_commit"},
	{"give the repository a star", "star_repository"},
	{"what is the latest release", "get_latest_release"},
	{"logs of a failed workflow job", "get_job_logs"},
	{"mark notifications as read", "mark_all_notifications_read"},
	{"find users by name", "search_users"},
	{"read a text file from disk", "read_text_file read_file"},
	{"write text to a file", "write_file"},
	{"move or rename a file", "move_file"},
	{"show the directory tree", "directory_tree"},
	{"make a new directory", "create_directory"},
	{"draw a pie chart", "generate_pie_chart"},
	{"make a mind map", "generate_mind_map"},
	{"plot a histogram of values", "generate_histogram_chart"},
	{"sankey diagram of flows", "generate_sankey_chart"},
	{"list pods in a namespace", "pods_list_in_namespace"},
	{"logs of a pod", "pods_log"},
	{"run a command in a pod", "exec_in_pod pods_exec"},
	{"delete a pod", "pods_delete"},
	{"install a helm chart", "install_helm_chart"},
	{"scale a deployment", "kubectl_scale resources_scale"},
	{"forward a port of a pod", "port_forward"},
	{"run a prometheus query", "query_prometheus"},
	{"search logs in loki", "query_loki_logs query_loki_patterns query_loki_stats"},
	{"find a grafana dashboard", "search_dashboards"},
	{"who is on call now", "get_current_oncall_users"},
	{"create an incident", "create_incident"},
	{"which datasources are there", "list_datasources"},
	{"search traces in tempo", "search_tempo_traces"},
	{"insert documents into a mongodb collection", "insert-many"},
	{"count documents of a collection", "count"},
	{"drop a database", "drop-database"},
	{"run an aggregation pipeline", "aggregate aggregate-db"},
	{"indexes of a collection", "collection-indexes"},
	{"run sql on the database", "execute_sql query_sql"},
	{"deploy an edge function", "deploy_edge_function"},
	{"generate typescript types for the schema", "generate_typescript_types"},
	{"apply a database migration", "apply_migration"},
	{"pause a project", "pause_project"},
	{"what is the weather", "get_weather get-weather"},
	{"add a task to the todo list", "add_task add_tasks"},
	{"lint source files", "lint-files"},
	{"add two numbers", "add get-sum"},
	{"delete entities from the knowledge graph", "delete_entities"},
	{"environment variables of the server", "get-env printEnv"},
}

// corpusTools returns the tools of the corpus.
func corpusTools(t testing.TB) []tools.Tool {
	t.Helper()
	schemas := corpus(t)
	var list []tools.Tool
	for _, key := range slices.Sorted(maps.Keys(schemas)) {
		server, name, _ := strings.Cut(key, "/")
		tool, err := adapters.NewTool(adapters.ToolConfig{
			Name: name, ServerName: server, Tool: &mcp.Tool{Name: name, InputSchema: schemas[key]},
			Handler: func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
				return content(text("ran " + key)), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tool)
	}
	return list
}

// hits returns the share of tasks for which one of the tools is among the first
// n that are found, and the queries of the others.
func hits(index *adapters.ToolIndex, n int) (rate float64, missed []string) {
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
	index := adapters.NewToolIndex(corpusTools(t))
	if rate, missed := hits(index, 5); rate < 0.85 {
		t.Errorf("among the first five are %.0f%%; missed %q", 100*rate, missed)
	}
}

func BenchmarkToolIndexFind(b *testing.B) {
	index := adapters.NewToolIndex(corpusTools(b))
	for i := 0; b.Loop(); i++ {
		index.Find(tasks[i%len(tasks)].query, 5)
	}
	for n, unit := range map[int]string{1: "hit@1", 5: "hit@5", 10: "hit@10"} {
		rate, _ := hits(index, n)
		b.ReportMetric(rate, unit)
	}
}

func BenchmarkNewToolIndex(b *testing.B) {
	list := corpusTools(b)
	for b.Loop() {
		adapters.NewToolIndex(list)
	}
}
