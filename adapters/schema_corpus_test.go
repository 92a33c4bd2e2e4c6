package adapters_test

import (
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// corpus returns the input schemas of the tools of real servers, by
// "server/tool".
func corpus(t testing.TB) map[string]any {
	t.Helper()
	file, err := os.Open("testdata/corpus/tools.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var servers map[string][]struct {
		Name        string
		InputSchema any
	}
	if err := json.NewDecoder(unzip).Decode(&servers); err != nil {
		t.Fatal(err)
	}
	schemas := map[string]any{}
	for server, tools := range servers {
		for _, tool := range tools {
			schemas[server+"/"+tool.Name] = tool.InputSchema
		}
	}
	return schemas
}

func TestCorpus(t *testing.T) {
	schemas := corpus(t)
	strict := 0
	for name, schema := range schemas {
		before := clonePlain(schema)
		for _, profile := range profiles {
			got := adapters.NormalizeSchema(schema, profile)
			for _, broken := range checkSchema(profile, got) {
				t.Errorf("%s: %s: %s", name, profile, broken)
			}
			if diff := difference(any(got), any(adapters.NormalizeSchema(got, profile))); diff != "" {
				t.Errorf("%s: %s: not idempotent:\n%s", name, profile, diff)
			}
		}
		if diff := difference(before, schema); diff != "" {
			t.Errorf("%s: input changed:\n%s", name, diff)
		}
		if _, ok := adapters.StrictSchema(schema); ok {
			strict++
		}
	}
	if len(schemas) < 500 || strict < 200 {
		t.Errorf("%d tools, of which %d are strict", len(schemas), strict)
	}
	t.Logf("%d tools, of which %d are strict", len(schemas), strict)
}

// BenchmarkCorpus normalises the schema of each tool of the corpus in turn: the
// time of an operation is the mean of a tool. The median is a metric of its own.
func BenchmarkCorpus(b *testing.B) {
	schemas := corpus(b)
	names := slices.Sorted(maps.Keys(schemas))
	for _, profile := range profiles {
		b.Run(string(profile), func(b *testing.B) {
			b.ReportAllocs()
			took := make([]float64, 0, len(names))
			for i := 0; b.Loop(); i++ {
				start := b.Elapsed()
				adapters.NormalizeSchema(schemas[names[i%len(names)]], profile)
				took = append(took, float64(b.Elapsed()-start))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "median-ns")
		})
	}
}
