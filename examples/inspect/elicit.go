package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An answer is what servers get when they ask the user something.
type answer struct {
	action  string         // of the specification: accept, decline or cancel
	content map[string]any // to accept with, besides the defaults
}

// parseAnswer reads the value of -elicit.
func parseAnswer(s string) (*answer, error) {
	switch s {
	case "accept", "decline", "cancel":
		return &answer{action: s}, nil
	}
	var content map[string]any
	if err := json.Unmarshal([]byte(s), &content); err != nil || content == nil {
		return nil, errors.New("use accept, decline, cancel or a JSON object")
	}
	return &answer{action: "accept", content: content}, nil
}

// An answerer answers questions where nobody is asked.
type answerer struct {
	answer *answer   // nil if the user was to be asked, but there is no terminal
	notes  io.Writer // what people should know at once

	mu       sync.Mutex
	problems []problem
}

func (a *answerer) elicit(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	declined := &mcp.ElicitResult{Action: "decline"}
	switch {
	case a.answer == nil:
		fmt.Fprintf(a.notes, "%s: there is no terminal to ask on; -elicit answers without one\n", cell(cc.String(), noLimit))
		return declined, nil
	case a.answer.action != "accept":
		return &mcp.ElicitResult{Action: a.answer.action}, nil
	case req.Params.Mode == "url" || req.Params.URL != "":
		a.fail(cc, "only a person can go to a web page as the server asks; declined")
		return declined, nil
	}
	fields, err := elicitation.FieldsOf(cc, req.Params)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	content := elicitation.Defaults(fields)
	maps.Copy(content, a.answer.content)
	if err := elicitation.Validate(fields, content); err != nil {
		var misfit *elicitation.Error
		if errors.As(err, &misfit) {
			err = misfit
		}
		a.fail(cc, fmt.Sprintf("the answer of -elicit does not fit the question: %v; declined", err))
		return declined, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// fail notes that a question did not get the answer that was to be given.
func (a *answerer) fail(cc callbacks.CallbackContext, message string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problems = append(a.problems, problem{
		Kind: kindElicitation, Server: cc.ServerName, Tool: cc.ToolName, Phase: string(multiclient.PhaseCall), Message: message,
	})
}

// failures returns what was noted so far.
func (a *answerer) failures() []problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.problems
}
