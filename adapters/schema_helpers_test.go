package adapters_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// verifySchema checks everything that holds for every schema.
func verifySchema(t *testing.T, schema any) {
	t.Helper()
	for _, profile := range append([]adapters.SchemaProfile{adapters.SchemaRaw}, profiles...) {
		before := clonePlain(schema)
		got := adapters.NormalizeSchema(schema, profile)
		if !isPlain(got) || got == nil {
			t.Fatalf("%s: not a plain tree: %#v", profile, got)
		}
		again := adapters.NormalizeSchema(schema, profile)
		if diff := difference(got, again); diff != "" {
			t.Errorf("%s: not deterministic:\n%s", profile, diff)
		}
		spoil(again)
		if diff := difference(before, schema); diff != "" {
			t.Errorf("%s: input changed:\n%s", profile, diff)
		}
		if diff := difference(got, adapters.NormalizeSchema(got, profile)); diff != "" {
			t.Errorf("%s: not idempotent:\n%s", profile, diff)
		}
		if profile == adapters.SchemaRaw {
			continue
		}
		for _, broken := range checkSchema(profile, got) {
			t.Errorf("%s: %s", profile, broken)
		}
		if t.Failed() {
			t.Fatalf("%s: from %s\ngot %s", profile, toJSON(schema), toJSON(got))
		}
	}
}

// difference is cmp.Diff, which is slow also where there is none.
func difference(x, y any) string {
	if reflect.DeepEqual(x, y) {
		return ""
	}
	return cmp.Diff(x, y)
}

// clonePlain copies maps and lists; other values are not changed by anyone.
func clonePlain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		m := map[string]any{}
		for k, e := range v {
			m[k] = clonePlain(e)
		}
		return m
	case []any:
		if v == nil {
			return v
		}
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clonePlain(e)
		}
		return l
	default:
		return v
	}
}

// spoil changes everything in a tree, to show what shares it.
func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			spoil(e)
			v[k] = "spoiled"
		}
	case []any:
		for i, e := range v {
			spoil(e)
			v[i] = "spoiled"
		}
	}
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(data)
}

func readSchema(t testing.TB, path string) any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return schema
}

func schemaFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	return files
}
