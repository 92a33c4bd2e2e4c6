package main

import (
	"context"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// ask has an agent answer the question by means of the tools. The agent is
// langchaingo's own; BindTools sees to it that the model gets the true schemas.
func ask(ctx context.Context, model llms.Model, tools []tools.Tool, question string) (string, error) {
	agent := agents.NewOpenAIFunctionsAgent(adapters.BindTools(model, tools), tools)
	executor := agents.NewExecutor(agent, agents.WithMaxIterations(20))
	return chains.Run(ctx, executor, question)
}
