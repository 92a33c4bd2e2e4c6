// Package adapters turns what MCP servers offer into what langchaingo takes, and
// back:
//
//	MCP server                    this package                      langchaingo
//
//	tool definition  -----------> Tool ---------------------------> tools.Tool
//	  name           --AssignNames-->  exposed name
//	  inputSchema    --NormalizeSchema--> Definition()  ----------> llms.Tool
//	tools/call       <-- Tool.Call, Tool.Invoke <------------------ agent, tool loop
//	result           --ResultText, ResultParts--------------------> observation, llms.ContentPart
//	prompt           --PromptMessages-----------------------------> llms.MessageContent
//	resource         --ResourceDocuments, ResourceLoader----------> schema.Document
//	served tool      <-- AddTool <--------------------------------- tools.Tool
//
//	llms.Model  -----------------> BindTools ---------------------> llms.Model that knows the tools
//	llms.Model, tools -----------> Run, RunEvents ----------------> answer and conversation
//
// Most programs get their tools from a client of package multiclient and bind
// them to a model:
//
//	tools, err := client.Tools(ctx)
//	llm := adapters.BindTools(model, tools)
//	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(llm, tools))
//
// All that a server sends is taken for untrusted: sizes, depths and counts are
// bounded, names are made legal, and nothing a server refers to is fetched. What
// descriptions and results say still reaches the model as it is.
package adapters
