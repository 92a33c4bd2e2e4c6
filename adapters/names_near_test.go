package adapters_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestNearNames(t *testing.T) {
	t.Parallel()
	names := []string{"everything_echo", "everything_get-sum", "everything_get-env", "weather_forecast", "notes.read_all_files"}
	for name, want := range map[string][]string{
		// What names have in common as members of a family makes none of them alike.
		"everything_nosuch": nil,
		"everything_get-qq": nil,
		"weather_delete":    nil,

		"everything_ehco":     {"everything_echo"},
		"everything_ecco":     {"everything_echo"},
		"everything_get_sum":  {"everything_get-sum"},
		"everything_sum":      {"everything_get-sum"},
		"everything-get-sums": {"everything_get-sum"},
		"everithing_echo":     {"everything_echo"},
		"forecast":            {"weather_forecast"},
		"wether_forecast":     {"weather_forecast"},
		"weather_forcast":     {"weather_forecast"},
		"notes_read_all_file": {"notes.read_all_files"},
		"Notes.ReadAllFiles":  {"notes.read_all_files"},
		"weather":             {"weather_forecast"},
		"get-sum":             {"everything_get-sum"},
	} {
		if diff := cmp.Diff(want, adapters.NearNames(name, names)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}
