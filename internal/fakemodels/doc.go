// Package fakemodels has endpoints on this machine that stand for those of model
// providers, for tests of what is sent to them:
//
//	endpoint := fakemodels.OpenAI(t,
//		fakemodels.Turn{Calls: []fakemodels.Call{{Tool: "add", Arguments: map[string]any{"a": 1, "b": 2}}}},
//		fakemodels.Turn{Text: "It is 3.", Check: fakemodels.LastResults("3")},
//	)
//	model, err := openai.New(openai.WithBaseURL(endpoint.URL), openai.WithToken("none"))
//
// An endpoint refuses, by the status and the error shape of the real API, what
// that documents to refuse or is known to. Each rule is written with its source
// next to it. What passes is checked by the script, which then answers.
package fakemodels
