// Quickstart lets a langchaingo agent use the tools of three MCP servers at
// once, and shows what the servers send back while their tools run: progress,
// log messages, and questions to the user.
//
//	go run ./examples/quickstart
//
// It is complete and needs no network: the servers are its own (a child
// process, an HTTP endpoint on this machine, and one inside of this process),
// and so is the model, unless -model names another.
//
// Begin to read in quickstart.go.
package main
