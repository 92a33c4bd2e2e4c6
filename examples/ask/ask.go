// Package ask shows how a tool of a server asks the user, with clients of both
// generations of the protocol. It is there to be copied: docs/server-authors.md
// explains it.
//
//	q, err := ask.Begin(req)
//	...
//	answer, pending, err := q.Form(ctx, "date", "For which day?", schema)
//	if err != nil || pending != nil {
//		return pending, nil, err
//	}
package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the first version of the protocol where a server asks by
// returning the question. The tool is then called again with the answer.
const stateless = "2026-07-28"

// Questions are those of one call of a tool.
type Questions struct {
	req     *mcp.CallToolRequest
	answers map[string]*mcp.ElicitResult // so far, by id
}

// Begin reads what the client has answered so far. It is the first thing that a
// tool does: all that comes before the last answer is done once for each question,
// so nothing there may have effects that must not happen twice.
func Begin(req *mcp.CallToolRequest) (*Questions, error) {
	q := &Questions{req: req, answers: map[string]*mcp.ElicitResult{}}
	if state := req.Params.RequestState; state != "" {
		// Whoever calls can write here what it likes: it is the client's own
		// answers, and must never be more.
		if err := json.Unmarshal([]byte(state), &q.answers); err != nil {
			return nil, errors.New("the requestState is not one of this tool")
		}
	}
	for id, response := range req.Params.InputResponses {
		answer, ok := response.(*mcp.ElicitResult)
		if !ok || answer == nil {
			return nil, fmt.Errorf("the answer to %q is none to a form", id)
		}
		q.answers[id] = answer
	}
	return q, nil
}

// Form asks for a form. The id is unique among the questions of the tool. If
// pending is not nil, the tool returns it as its result; it is called again when
// there is an answer. The answer may be to decline or to cancel, and what it
// holds is to be checked like any other argument.
func (q *Questions) Form(ctx context.Context, id, message string, schema any) (answer *mcp.ElicitResult, pending *mcp.CallToolResult, err error) {
	if answer := q.answers[id]; answer != nil {
		return answer, nil, nil
	}
	caps := q.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return nil, nil, errors.New("this tool has to ask the user, and the client does not offer that")
	}
	params := &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema}
	if q.req.ProtocolVersion() < stateless {
		// The SDK would do the same with what is returned below, but once only.
		answer, err = q.req.Session.Elicit(ctx, params)
		return answer, nil, err
	}
	state, err := json.Marshal(q.answers) // only the latest answers come by themselves
	if err != nil {
		return nil, nil, err
	}
	return nil, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{id: params}, RequestState: string(state)}, nil
}
