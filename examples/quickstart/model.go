package main

import (
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/script"
)

// newModel returns the script, or the model that was asked for.
func newModel(s settings) (llms.Model, error) {
	if s.model == "" {
		return script.Model{}, nil
	}
	options := []openai.Option{openai.WithModel(s.model), openai.WithToken(s.key)}
	if s.baseURL != "" {
		options = append(options, openai.WithBaseURL(s.baseURL))
	}
	return openai.New(options...)
}
