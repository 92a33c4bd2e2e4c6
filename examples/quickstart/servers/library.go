package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// cardHolder is a form with a field of every kind but numbers.
var cardHolder = json.RawMessage(`{
	"type": "object",
	"title": "CardHolder",
	"properties": {
		"name":       {"type": "string", "title": "Name on the card", "minLength": 1, "maxLength": 40},
		"branch":     {"type": "string", "title": "Your branch", "default": "central", "oneOf": [
		                {"const": "central", "title": "Central library"},
		                {"const": "harbour", "title": "Harbour branch"},
		                {"const": "bus", "title": "Book bus"}]},
		"interests":  {"type": "array", "title": "What do you read?", "default": ["science"], "items": {"type": "string", "enum": ["fiction", "poetry", "science", "history"]}},
		"newsletter": {"type": "boolean", "title": "Send you the newsletter?", "default": false}
	},
	"required": ["name"]
}`)

// Library returns a server that issues library cards, for which it has to ask
// the user, and that tells what its client can do.
func Library() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "issue_card", Description: "Issue a new library card. Asks the user for the details."}, issueCard)
	mcp.AddTool(s, &mcp.Tool{
		Name:        "client_features",
		Description: "Which optional features the connected client declared.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, clientFeatures)
	return s
}

func issueCard(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	answer, pending, err := ask(req, "What name should go on the card?", cardHolder)
	if err != nil || pending != nil {
		return pending, nil, err
	}
	if answer.Action != "accept" {
		return text("No card issued."), nil, nil
	}
	result := fmt.Sprintf("Card issued to %v.", answer.Content["name"])
	if branch, ok := answer.Content["branch"]; ok {
		result += fmt.Sprintf(" Branch: %v.", branch)
	}
	if list, ok := answer.Content["interests"].([]any); ok && len(list) > 0 {
		var interests []string
		for _, interest := range list {
			interests = append(interests, fmt.Sprint(interest))
		}
		result += " Interests: " + strings.Join(interests, ", ") + "."
	}
	if newsletter, ok := answer.Content["newsletter"].(bool); ok && newsletter {
		result += " The newsletter is on its way."
	}
	return text("%s", result), nil, nil
}

type features struct {
	Result []string `json:"result"`
}

func clientFeatures(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, features, error) {
	declared := []string{}
	if caps := req.ClientCapabilities(); caps != nil {
		if caps.Elicitation != nil {
			declared = append(declared, "elicitation")
		}
		if caps.Sampling != nil {
			declared = append(declared, "sampling")
		}
		if caps.RootsV2 != nil {
			declared = append(declared, "roots")
		}
	}
	return nil, features{declared}, nil
}
