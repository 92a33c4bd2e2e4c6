package calls

import (
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// schemaKey is the key in _meta of an elicitation that carries the requested
// schema past the SDK, which decodes it into a map and so loses the order of
// the fields. Whatever a server puts there is replaced.
const schemaKey = "github.com/langchaingo-mcp/mcpadapters/requestedSchema"

// maxSchema is how long a schema may be to be carried. Longer ones are refused
// in the end, unless they are mostly space.
const maxSchema = 256 << 10

// keepSchema puts the requested schema of an elicitation into its _meta, as the
// server wrote it.
func keepSchema(params, meta map[string]json.RawMessage) {
	delete(meta, schemaKey)
	if schema := params["requestedSchema"]; len(schema) > 0 && len(schema) <= maxSchema {
		meta[schemaKey], _ = json.Marshal(string(schema)) // a string always can be
	}
}

// takeSchema removes the requested schema from the _meta of an elicitation and
// returns it. It returns nil if there is none, or if it is not the one that the
// parameters hold: nobody is to check one form and fill in another.
func takeSchema(p *mcp.ElicitParams) json.RawMessage {
	kept, _ := p.Meta[schemaKey].(string)
	if delete(p.Meta, schemaKey); len(p.Meta) == 0 {
		p.Meta = nil
	}
	if kept == "" || p.RequestedSchema == nil {
		return nil
	}
	var decoded any
	if json.Unmarshal([]byte(kept), &decoded) != nil || !reflect.DeepEqual(decoded, p.RequestedSchema) {
		return nil
	}
	return json.RawMessage(kept)
}
