package adapters_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func ExampleNormalizeSchema() {
	schema := json.RawMessage(`{
		"$defs": {"Unit": {"enum": ["celsius", "fahrenheit"]}},
		"properties": {
			"city": {"type": "string"},
			"days": {"type": ["integer", "null"], "exclusiveMinimum": 0},
			"unit": {"$ref": "#/$defs/Unit", "description": "Defaults to that of the country."}
		},
		"required": ["city"]
	}`)
	data, _ := json.MarshalIndent(adapters.NormalizeSchema(schema, adapters.SchemaPortable), "", "  ")
	fmt.Println(string(data))
	// Output:
	// {
	//   "properties": {
	//     "city": {
	//       "type": "string"
	//     },
	//     "days": {
	//       "minimum": 1,
	//       "type": "integer"
	//     },
	//     "unit": {
	//       "description": "Defaults to that of the country.",
	//       "enum": [
	//         "celsius",
	//         "fahrenheit"
	//       ],
	//       "type": "string"
	//     }
	//   },
	//   "required": [
	//     "city"
	//   ],
	//   "type": "object"
	// }
}

func BenchmarkNormalizeSchema(b *testing.B) {
	usual := func() any {
		var v any
		// Half a dozen arguments, as most tools have at most.
		err := json.Unmarshal([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,
			"required":["owner","repo"],"properties":{
			"owner":{"type":"string","description":"Who owns the repository."},"repo":{"type":"string","description":"Its name."},
			"state":{"type":"string","enum":["open","closed","all"],"description":"Which ones."},
			"labels":{"type":"array","items":{"type":"string"},"description":"Only with all of these."},
			"page":{"type":"number","minimum":1,"description":"The page, from 1."},
			"per_page":{"type":["number","null"],"minimum":1,"maximum":100,"default":30}}}`), &v)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}()
	for name, schema := range map[string]any{
		"usual": usual, "unions": readSchema(b, "testdata/schemas/unions.json"), "recursive": readSchema(b, "testdata/schemas/recursive.json"),
		"bomb": hostileSchemas()["bomb of properties"],
	} {
		for _, profile := range []adapters.SchemaProfile{adapters.SchemaPortable, adapters.SchemaOpenAI} {
			b.Run(name+"/"+string(profile), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					adapters.NormalizeSchema(schema, profile)
				}
			})
		}
	}
}
