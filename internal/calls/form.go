package calls

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// invalidParams refuses a request of the server as malformed or unsupported.
func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// A form is the schema that a server wants an answer of.
type form struct {
	fields   []elicitation.Field
	resolved *jsonschema.Resolved // nil if anything goes
}

// readForm refuses what is no schema of an elicitation.
func readForm(requested any) (*form, error) {
	fields, err := elicitation.Fields(requested)
	if err != nil {
		return nil, invalidParams("the requested schema: %v", err)
	}
	f := &form{fields: fields}
	if requested == nil {
		return f, nil
	}
	raw, err := json.Marshal(requested)
	if err != nil {
		return nil, invalidParams("the requested schema: %v", err)
	}
	var schema *jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, invalidParams("the requested schema: %v", err)
	}
	if schema == nil {
		return f, nil
	}
	if f.resolved, err = schema.Resolve(nil); err != nil {
		return nil, invalidParams("the requested schema: %v", err)
	}
	return f, nil
}

// complete returns the result with the defaults of the fields that it leaves
// out, and without content if it was not accepted. The result given is not
// changed.
func (f *form) complete(res *mcp.ElicitResult) *mcp.ElicitResult {
	own := *res
	own.Content = nil
	if res.Action == "accept" {
		own.Content = elicitation.Defaults(f.fields)
		maps.Copy(own.Content, res.Content)
	}
	return &own
}

// check refuses accepted content that the server did not ask for.
func (f *form) check(res *mcp.ElicitResult) error {
	if res.Action != "accept" || f.resolved == nil {
		return nil
	}
	if err := f.resolved.Validate(res.Content); err != nil {
		return invalidParams("the answer does not match the requested schema: %v", err)
	}
	return nil
}
