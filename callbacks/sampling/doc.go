// Package sampling lets MCP servers ask a language model of langchaingo: it
// answers sampling/createMessage.
//
//	model, err := openai.New(openai.WithModel("gpt-4o"))
//	...
//	cb := sampling.New(model, &sampling.Options{
//		Tools:       true,
//		MaxTokens:   2000,
//		CallOptions: []llms.CallOption{llms.WithModel("gpt-4o")},
//		Approve:     askTheUser,
//	})
//
// Servers that sample spend the user's money and choose what the model reads.
// The specification wants a person to have the last word about both the request
// and the answer (2025-11-25, client/sampling, user interaction model): see
// [Options.Approve] and [Options.Review].
//
// The model's own errors stay here, since they may hold secrets: a server is
// told that the model failed, and [Options.OnError] gets the error.
package sampling
