package servers

import (
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is the name under which a tool asks its one question.
const question = "question"

// ask asks the user to fill in a form. The first time a tool runs there is no
// answer yet: it then returns pending, and is run again when there is one.
// Nothing that must not happen twice may come before.
//
// To a client of protocol version 2026-07-28 the question is a part of the
// result; for older ones the SDK turns it into a request and waits.
func ask(req *mcp.CallToolRequest, message string, schema any) (answer *mcp.ElicitResult, pending *mcp.CallToolResult, err error) {
	caps := req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return nil, nil, errors.New("this tool has to ask the user, and the client does not offer that")
	}
	response, ok := req.Params.InputResponses[question]
	if !ok {
		return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
			question: &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema},
		}}, nil
	}
	answer, ok = response.(*mcp.ElicitResult)
	if !ok {
		return nil, nil, fmt.Errorf("the answer to a form is a %T", response)
	}
	return answer, nil, nil
}

// text is a result of one text.
func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}
