package calls

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What is carried past the SDK only counts if it is what the SDK has decoded.
func TestSchemaThatIsCarried(t *testing.T) {
	decoded := map[string]any{"z": []any{1.0, "x"}, "a": nil}
	const written = `{"z": [1e0, "\u0078"], "a": null}`
	for name, test := range map[string]struct {
		meta      mcp.Meta
		requested any
		want      string
		left      mcp.Meta
	}{
		"carried":         {mcp.Meta{schemaKey: written}, decoded, written, nil},
		"with others":     {mcp.Meta{schemaKey: written, "own": 1}, decoded, written, mcp.Meta{"own": 1}},
		"another":         {mcp.Meta{schemaKey: `{"z": [2, "x"], "a": null}`}, decoded, "", nil},
		"more":            {mcp.Meta{schemaKey: `{"z": [1, "x"], "a": null, "b": null}`}, decoded, "", nil},
		"no JSON":         {mcp.Meta{schemaKey: "{"}, decoded, "", nil},
		"no string":       {mcp.Meta{schemaKey: decoded}, decoded, "", nil},
		"of no schema":    {mcp.Meta{schemaKey: "null"}, nil, "", nil},
		"nothing carried": {nil, decoded, "", nil},
	} {
		p := &mcp.ElicitParams{Meta: test.meta, RequestedSchema: test.requested}
		if got := takeSchema(p); string(got) != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
		if diff := cmp.Diff(test.left, p.Meta); diff != "" {
			t.Errorf("%s: _meta (-want +got):\n%s", name, diff)
		}
	}
}

func TestLongSchemaIsNotCarried(t *testing.T) {
	for n, want := range map[int]bool{maxSchema: true, maxSchema + 1: false} {
		result := `{"inputRequests":{"a":{"method":"elicitation/create","params":{"requestedSchema":"` + strings.Repeat("x", n-2) + `"}}}}`
		other, _ := Result([]byte(result))
		if got := len(other) > 2*maxSchema; got != want {
			t.Errorf("%d bytes are carried: %v, want %v", n, got, want)
		}
	}
}
