package adapters_test

import (
	"slices"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestNormalizeToolLists(t *testing.T) {
	for _, list := range toolLists(t) {
		t.Run(list.name, func(t *testing.T) {
			strict := 0
			for _, tool := range list.tools {
				before := clonePlain(tool.InputSchema)
				for _, profile := range profiles {
					got := adapters.NormalizeSchema(tool.InputSchema, profile)
					for _, broken := range checkSchema(profile, got) {
						t.Errorf("%s: %s: %s", tool, profile, broken)
					}
					if diff := difference(any(got), any(adapters.NormalizeSchema(got, profile))); diff != "" {
						t.Errorf("%s: %s: not idempotent:\n%s", tool, profile, diff)
					}
				}
				if diff := difference(before, tool.InputSchema); diff != "" {
					t.Errorf("%s: input changed:\n%s", tool, diff)
				}
				if _, ok := adapters.StrictSchema(tool.InputSchema); ok {
					strict++
				}
			}
			// Of a few tools, all may have maps.
			if len(list.tools) >= 50 && strict < len(list.tools)/3 {
				t.Errorf("of %d tools only %d are strict", len(list.tools), strict)
			}
			t.Logf("%d tools, of which %d are strict", len(list.tools), strict)
		})
	}
}

// BenchmarkNormalizeToolLists normalises the schema of each tool in turn: the
// time of an operation is the mean of a tool. The median is a metric of its own.
func BenchmarkNormalizeToolLists(b *testing.B) {
	for _, list := range toolLists(b) {
		for _, profile := range profiles {
			b.Run(list.name+"/"+string(profile), func(b *testing.B) {
				b.ReportAllocs()
				took := make([]float64, 0, len(list.tools))
				for i := 0; b.Loop(); i++ {
					start := b.Elapsed()
					adapters.NormalizeSchema(list.tools[i%len(list.tools)].InputSchema, profile)
					took = append(took, float64(b.Elapsed()-start))
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], "median-ns")
			})
		}
	}
}
