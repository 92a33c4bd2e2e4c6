// Package agent has an agent for langchaingo's executor that calls tools as
// [adapters.Run] does:
//
//	a := agent.New(model, tools, &agent.Options{SystemMessage: "Be brief."})
//	executor := agents.NewExecutor(a, agents.WithMaxIterations(20))
//	answer, err := chains.Run(ctx, executor, "What is new?")
//
// It works with every provider of langchaingo that sends tools, and gives the
// model the true schemas. It is a module of its own because langchaingo's agents
// bring many dependencies along. What an executor cannot do, the loop does: run
// calls at the same time, show the model images, and return the conversation.
package agent
