package testserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Labels of what the tools work_0 to work_7 send begin with "server/tool id",
// so that a client can be checked that told its callbacks something else.
func label(server, tool, id string) string { return server + "/" + tool + " " + id }

// addWorking adds the tools work_0 to work_7, which do everything at once: log
// and report progress n times, half of it before they ask what ask lists
// ("form", "fields", "url", "sampling", "roots"), and return the answers by
// kind.
func (s *Server) addWorking() {
	type work struct {
		ID  string   `json:"id"`
		N   int      `json:"n,omitempty"`
		Ask []string `json:"ask,omitempty"`
	}
	for i := range 8 {
		name := fmt.Sprintf("work_%d", i)
		mcp.AddTool(s.Server, &mcp.Tool{Name: name, Description: "Reports, and asks for much."},
			func(ctx context.Context, req *mcp.CallToolRequest, in work) (*mcp.CallToolResult, any, error) {
				label := label(s.Name, name, in.ID)
				if len(req.Params.InputResponses) == 0 {
					if err := report(ctx, req, label, 1, in.N/2); err != nil {
						return nil, nil, err
					}
				}
				answers, pending, err := askAll(ctx, req, questions(label, in.Ask))
				if err != nil || pending != nil {
					return pending, nil, err
				}
				if _, ok := answers["url"]; ok {
					err := req.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: label})
					if err != nil {
						return nil, nil, err
					}
				}
				if err := report(ctx, req, label, in.N/2+1, in.N); err != nil {
					return nil, nil, err
				}
				told := map[string]string{}
				for kind, answer := range answers {
					told[kind] = answerText(answer)
				}
				raw, err := json.Marshal(told)
				return text("%s", raw), nil, err
			})
	}
}

// report logs and reports progress from one number to another.
func report(ctx context.Context, req *mcp.CallToolRequest, label string, from, to int) error {
	for i := from; i <= to; i++ {
		message := fmt.Sprintf("%s %d", label, i)
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: message}); err != nil {
			return err
		}
		token := req.Params.GetProgressToken()
		if token == nil {
			continue
		}
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i), Message: message})
		if err != nil {
			return err
		}
	}
	return nil
}

// questions returns what to ask, by kind.
func questions(label string, kinds []string) mcp.InputRequestMap {
	all := mcp.InputRequestMap{
		"form": &mcp.ElicitParams{
			Mode: "form", Message: label,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
		},
		"fields": &mcp.ElicitParams{
			Mode: "form", Message: label,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string","default":"last"},"a":{"type":"integer"},"m":{"type":"string","enum":["y","b"]}}}`),
		},
		"url": &mcp.ElicitParams{Mode: "url", Message: label, URL: "https://visit.example/", ElicitationID: label},
		"sampling": &mcp.CreateMessageWithToolsParams{
			MaxTokens: 5, Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: label}}}},
		},
		"roots": &mcp.ListRootsParams{Meta: mcp.Meta{"label": label}},
	}
	asked := mcp.InputRequestMap{}
	for _, kind := range kinds {
		asked[kind] = all[kind]
	}
	return asked
}

// askAll asks by the means of the session's version of the protocol, like ask.
func askAll(ctx context.Context, req *mcp.CallToolRequest, questions mcp.InputRequestMap) (mcp.InputResponseMap, *mcp.CallToolResult, error) {
	switch init := req.Session.InitializeParams(); {
	case len(questions) == 0:
		return nil, nil, nil
	case init == nil || init.ProtocolVersion >= stateless:
		if len(req.Params.InputResponses) > 0 {
			return req.Params.InputResponses, nil, nil
		}
		return nil, &mcp.CallToolResult{InputRequests: questions, RequestState: "asked"}, nil
	}
	answers := mcp.InputResponseMap{}
	for _, kind := range slices.Sorted(maps.Keys(questions)) {
		var err error
		switch q := questions[kind].(type) {
		case *mcp.ElicitParams:
			answers[kind], err = req.Session.Elicit(ctx, q)
		case *mcp.CreateMessageWithToolsParams:
			answers[kind], err = req.Session.CreateMessageWithTools(ctx, q)
		case *mcp.ListRootsParams:
			answers[kind], err = req.Session.ListRoots(ctx, q)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	return answers, nil, nil
}

// answerText returns the gist of an answer.
func answerText(answer mcp.InputResponse) string {
	switch a := answer.(type) {
	case *mcp.ElicitResult:
		if word, ok := a.Content["word"]; ok {
			return fmt.Sprintf("%s: %v", a.Action, word)
		}
		return a.Action
	case *mcp.CreateMessageWithToolsResult:
		if len(a.Content) == 1 {
			if t, ok := a.Content[0].(*mcp.TextContent); ok {
				return t.Text
			}
		}
	case *mcp.ListRootsResult:
		names := []string{}
		for _, r := range a.Roots {
			names = append(names, r.Name)
		}
		return fmt.Sprint(names)
	}
	return fmt.Sprintf("an answer of type %T", answer)
}

// addAskingFeatures adds a prompt and a resource template that ask as well, in
// both generations of the protocol: the SDK asks older clients itself.
func (s *Server) addAskingFeatures() {
	kinds := []string{"form", "roots", "sampling"}
	s.AddPrompt(&mcp.Prompt{Name: "ask", Arguments: []*mcp.PromptArgument{{Name: "id", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if len(req.Params.InputResponses) == 0 {
				return &mcp.GetPromptResult{InputRequests: questions(label(s.Name, "", req.Params.Arguments["id"]), kinds), RequestState: "prompt"}, nil
			}
			return &mcp.GetPromptResult{Description: req.Params.RequestState, Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: allAnswers(req.Params.InputResponses)}},
			}}, nil
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "asking", URITemplate: "ask://{id}"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			if len(req.Params.InputResponses) == 0 {
				return &mcp.ReadResourceResult{InputRequests: questions(label(s.Name, "", req.Params.URI), kinds), RequestState: "resource"}, nil
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
				{URI: req.Params.URI, Text: req.Params.RequestState + " " + allAnswers(req.Params.InputResponses)},
			}}, nil
		})
}

func allAnswers(answers mcp.InputResponseMap) string {
	told := []string{}
	for _, kind := range slices.Sorted(maps.Keys(answers)) {
		told = append(told, answerText(answers[kind]))
	}
	return fmt.Sprint(told)
}
