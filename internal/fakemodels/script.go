package fakemodels

import (
	"fmt"
	"slices"
	"strings"
)

// A Turn is an answer of the model.
type Turn struct {
	// Check, if set, is given the request before it is answered. An error is
	// answered by status 400.
	Check func(*Request) error

	// Text and Calls are the answer. A call may only be of a tool that the
	// request offers.
	Text  string
	Calls []Call
}

// A Call is a tool call of the model.
type Call struct {
	Tool      string
	Arguments map[string]any
}

// A Request is what all APIs are told in common.
type Request struct {
	Tools   []Tool
	Results []Result // of the whole conversation
	Texts   []string // of the user and the system
	Images  []Image
	Stream  bool
	Body    map[string]any // as it came
}

// A Tool is a tool that is offered.
type Tool struct {
	Name, Description string
	Schema            map[string]any
}

// A Result is what the model is told of a call.
type Result struct{ Tool, Text string }

// An Image is an image or another blob.
type Image struct {
	MediaType string
	Bytes     int
}

// Tool returns the offered tool of a name, or nil.
func (r *Request) Tool(name string) *Tool {
	i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Tools[i]
}

// LastResults returns a check that the last results contain the texts, in order.
func LastResults(texts ...string) func(*Request) error {
	return func(r *Request) error {
		if len(r.Results) < len(texts) {
			return fmt.Errorf("%d results, want %d at least", len(r.Results), len(texts))
		}
		last := r.Results[len(r.Results)-len(texts):]
		for i, text := range texts {
			if !strings.Contains(last[i].Text, text) {
				return fmt.Errorf("result of %s is %.300q, want one with %q", last[i].Tool, last[i].Text, text)
			}
		}
		return nil
	}
}

// All returns a check that makes all checks.
func All(checks ...func(*Request) error) func(*Request) error {
	return func(r *Request) error {
		for _, check := range checks {
			if err := check(r); err != nil {
				return err
			}
		}
		return nil
	}
}
