package adapters_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestNormalizeSchemaKeepsEveryName(t *testing.T) {
	schema := readSchema(t, "testdata/schemas/keyword_names.json").(map[string]any)
	want := slices.Sorted(maps.Keys(schema["properties"].(map[string]any)))
	for _, profile := range []adapters.SchemaProfile{adapters.SchemaPortable, adapters.SchemaOpenAI, adapters.SchemaGemini, adapters.SchemaRaw} {
		got := adapters.NormalizeSchema(schema, profile)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got["properties"].(map[string]any)))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", profile, diff)
		}
	}
	// Anthropic refuses the names with a dollar, on the root.
	got := adapters.NormalizeSchema(schema, adapters.SchemaAnthropic)
	if diff := cmp.Diff([]string{"$ref", "$schema"}, slices.DeleteFunc(want, func(name string) bool {
		_, ok := got["properties"].(map[string]any)[name]
		return ok
	})); diff != "" {
		t.Errorf("anthropic (-want +got)\n%s", diff)
	}
	if d := got["description"].(string); !strings.Contains(d, `"$ref" (string, required) A git reference.`) {
		t.Errorf("description does not tell of $ref: %s", d)
	}
}

func TestNormalizeSchemaTakesAnything(t *testing.T) {
	empty := map[string]any{"type": "object", "properties": map[string]any{}}
	typed := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}
	cyclic := map[string]any{"type": "object"}
	cyclic["properties"] = map[string]any{"self": cyclic, "again": cyclic}
	type loop struct {
		Properties map[string]*loop `json:"properties"`
	}
	pointers := &loop{Properties: map[string]*loop{}}
	pointers.Properties["self"] = pointers
	endless := &jsonschema.Schema{Type: "object"}
	endless.Properties = map[string]*jsonschema.Schema{"self": endless}

	for name, tt := range map[string]struct {
		schema any
		want   map[string]any // nil: anything that passes the checks
	}{
		"nil":               {nil, empty},
		"nil map":           {map[string]any(nil), empty},
		"nil pointer":       {(*jsonschema.Schema)(nil), empty},
		"string":            {"x", empty},
		"true":              {true, empty},
		"false":             {false, empty},
		"list":              {[]any{map[string]any{}}, empty},
		"number":            {7, empty},
		"channel":           {make(chan int), empty},
		"raw":               {json.RawMessage(`{"properties":{"a":{"type":"string"}}}`), typed},
		"bad raw":           {json.RawMessage(`{"properties":`), empty},
		"bytes":             {[]byte("x"), empty},
		"typed maps":        {map[string]map[string]map[string]string{"properties": {"a": {"type": "string"}}}, typed},
		"jsonschema":        {&jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"a": {Type: "string"}}}, typed},
		"jsonschema in map": {map[string]any{"properties": map[string]any{"a": &jsonschema.Schema{Type: "string"}}}, typed},
		"typed list":        {map[string]any{"properties": map[string]any{"a": map[string]any{"type": []string{"string"}}}}, typed},
		"panics":            {panicker{}, empty},
		"cyclic map":        {cyclic, nil},
		"cyclic pointers":   {pointers, empty},
		"cyclic jsonschema": {endless, empty},
		"cyclic in map":     {map[string]any{"properties": map[string]any{"a": endless}}, nil},
		"not finite":        {map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "default": nan()}}}, typed},
		"bad number":        {map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "maxLength": json.Number("1x")}}}, typed},
		"not UTF-8":         {map[string]any{"\xff": 1, "properties": map[string]any{"a": map[string]any{"type": "string", "x\xff": "\xff"}}}, typed},
	} {
		t.Run(name, func(t *testing.T) {
			for _, profile := range []adapters.SchemaProfile{adapters.SchemaRaw, adapters.SchemaPortable, adapters.SchemaAnthropic} {
				got := adapters.NormalizeSchema(tt.schema, profile)
				if !isPlain(got) || got == nil {
					t.Fatalf("%s: not plain: %#v", profile, got)
				}
				if profile == adapters.SchemaRaw {
					continue
				}
				if broken := checkSchema(profile, got); broken != nil {
					t.Errorf("%s: %s", profile, broken)
				}
				if diff := cmp.Diff(tt.want, got); tt.want != nil && diff != "" {
					t.Errorf("%s (-want +got)\n%s", profile, diff)
				}
			}
		})
	}
}

type panicker struct{}

func (panicker) MarshalJSON() ([]byte, error) { panic("no JSON") }

func nan() float64 {
	zero := 0.0
	return zero / zero
}

func TestNormalizeSchemaRaw(t *testing.T) {
	for _, file := range schemaFiles(t) {
		schema := readSchema(t, file)
		if diff := cmp.Diff(schema, any(adapters.NormalizeSchema(schema, adapters.SchemaRaw))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", file, diff)
		}
	}
	const exact = `{"maximum":9007199254740993,"type":"object"}`
	if got := toJSON(adapters.NormalizeSchema(json.RawMessage(exact), adapters.SchemaRaw)); got != exact {
		t.Errorf("got %s, want %s", got, exact)
	}
}
