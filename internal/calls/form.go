package calls

import (
	"fmt"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// invalidParams refuses a request of the server as malformed or unsupported.
func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// A form is what a server wants an answer of. Only what the specification
// allows in its schema counts: the rest of JSON Schema would let a server keep
// the check of the answer from ending.
type form []elicitation.Field

// readForm refuses what is no schema of an elicitation.
func readForm(requested any) (form, error) {
	fields, err := elicitation.Fields(requested)
	if err != nil {
		return nil, invalidParams("the requested schema: %v", err)
	}
	return fields, nil
}

// complete returns the result with the defaults of the fields that it leaves
// out, and without content if it was not accepted. The result given is not
// changed.
func (f form) complete(res *mcp.ElicitResult) *mcp.ElicitResult {
	own := *res
	own.Content = nil
	if res.Action == "accept" {
		own.Content = elicitation.Defaults(f)
		maps.Copy(own.Content, res.Content)
	}
	return &own
}

// check refuses accepted content that is not what the server asked for. There
// may be more than it asked for.
func (f form) check(res *mcp.ElicitResult) error {
	if res.Action != "accept" {
		return nil
	}
	requested := make(map[string]any, len(f))
	for _, field := range f {
		if v, ok := res.Content[field.Name]; ok {
			requested[field.Name] = v
		}
	}
	if err := elicitation.Validate(f, requested); err != nil {
		return invalidParams("the answer does not match the requested schema: %v", err)
	}
	return nil
}
