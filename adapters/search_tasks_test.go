package adapters_test

import (
	"slices"
	"strings"
)

// A task is what a model might look for, in its own words, and the names of the
// tools that do it.
type task struct{ query, tools string }

// tasksFor returns the tasks that a tool of the list does.
func tasksFor(list toolList) []task {
	tasks := knownTasks
	if list.name == "invented" {
		tasks = inventedTasks
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t task) bool {
		wanted := strings.Fields(t.tools)
		return !slices.ContainsFunc(list.tools, func(tool listedTool) bool { return slices.Contains(wanted, tool.Name) })
	})
}

// inventedTasks are tasks for the servers of testdata/toollists.
var inventedTasks = []task{
	{"irrigate the tomato bed for five minutes", "water_bed"},
	{"what is the humidity in the greenhouse", "read_climate"},
	{"plant a new batch of seeds", "sow_seeds"},
	{"my plant looks sick, what disease is it", "diagnose_leaf"},
	{"log how many grams of crop were picked", "record_harvest"},
	{"find sheet music for tenor and bass", "search_scores"},
	{"schedule the next choir practice", "plan_rehearsal"},
	{"record who was absent from rehearsal", "mark_attendance"},
	{"change the key of a piece", "transpose"},
	{"reserve a ferry ticket for a car and two people", "book_crossing"},
	{"refund a reservation", "cancel_booking"},
	{"when does the next ferry depart", "timetable"},
	{"how high are the waves", "sea_state"},
	{"which user account am I logged in with", "whoami"},
	{"how much honey did we get last year", "honeyTotals"},
	{"record a varroa mite treatment", "treatMites"},
	{"show all bee hives", "listHives"},
	{"get the details of an invoice", "getInvoicesById"},
	{"dispute a toll charge", "postDisputes"},
	{"update the address of an account", "patchAccountsById"},
	{"remove a vehicle from my account", "deleteVehiclesByPlate"},
	{"show the log output of a crane", "crane_logs"},
	{"scale a berth to more places", "berths_resize"},
	{"sell two seats for tonight's performance", "ticket-sell"},
	{"assign a role to an actor", "cast-assign"},
	{"are the press reviews positive", "review-sentiment"},
	{"point the telescope at a star", "telescope.point"},
	{"will it be cloudy tonight", "forecast.clouds"},
	{"take a photo with a long exposure", "exposure.take"},
}

// knownTasks are tasks for tools of servers that many people use, for lists of
// their tools. They tell something of a list without descriptions too.
var knownTasks = []task{
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
