package adapters_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// forecaster is a tool with a handler in the place of a server.
func forecaster() tools.Tool {
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: "forecast",
		Tool: &mcp.Tool{Name: "forecast", InputSchema: map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"},
		}},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			sunny := fmt.Sprintf("%v: sunny", req.Arguments["city"])
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: sunny}}}, nil
		},
	})
	if err != nil {
		panic(err)
	}
	return tool
}

// forecasting is a model that asks for two forecasts at once, and then for a
// tool that is not there.
func forecasting() llms.Model {
	return script(
		calls(call("1", "forecast", `{"city":"Bern"}`), call("2", "forecast", `{"city":"Oslo"}`)),
		calls(call("3", "forcast", `{"city":"Rome"}`)),
		says("It is sunny."),
	)
}

// The whole conversation is in the result.
func ExampleRun() {
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How is the weather?")}
	result, err := adapters.Run(context.Background(), forecasting(), messages, []tools.Tool{forecaster()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, message := range result.Messages {
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				fmt.Println(message.Role, part.Text)
			case llms.ToolCall:
				fmt.Println(message.Role, part.FunctionCall.Name, part.FunctionCall.Arguments)
			case llms.ToolCallResponse:
				fmt.Println(message.Role, part.Content)
			}
		}
	}
	// Output:
	// human How is the weather?
	// ai forecast {"city":"Bern"}
	// ai forecast {"city":"Oslo"}
	// tool Bern: sunny
	// tool Oslo: sunny
	// ai forcast {"city":"Rome"}
	// tool Error: there is no tool "forcast". Did you mean forecast? The tools are: forecast.
	// ai It is sunny.
}

func ExampleRunEvents() {
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "How is the weather?")}
	options := &adapters.RunOptions{MaxConcurrent: 1, MaxSteps: 10, Stream: true}
	for event, err := range adapters.RunEvents(context.Background(), forecasting(), messages, []tools.Tool{forecaster()}, options) {
		switch event.Kind {
		case adapters.RunText: // a piece of it; this model does not stream
			fmt.Print(event.Text)
		case adapters.RunCalled:
			fmt.Println("calling", event.Call.Tool, event.Call.Arguments)
		case adapters.RunReply:
			fmt.Println("got", strings.SplitAfter(event.Text, ".")[0])
		case adapters.RunEnd:
			fmt.Println("answer:", event.Result.Answer, err)
		}
	}
	// Output:
	// calling forecast {"city":"Bern"}
	// got Bern: sunny
	// calling forecast {"city":"Oslo"}
	// got Oslo: sunny
	// calling forcast {"city":"Rome"}
	// got Error: there is no tool "forcast".
	// answer: It is sunny. <nil>
}

// A tool whose call is the answer ends the run.
func ExampleRunOptions_stop() {
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Where is it sunny?")}
	var cities []string
	result, err := adapters.Run(context.Background(), forecasting(), messages, []tools.Tool{forecaster()}, &adapters.RunOptions{
		Stop: func(step *adapters.RunStep) bool {
			for _, call := range step.Calls {
				cities = append(cities, call.Text)
			}
			return len(cities) >= 2
		},
	})
	fmt.Println(cities, result.Steps, result.Stopped, err)
	// Output: [Bern: sunny Oslo: sunny] 1 true <nil>
}

// CallTool is for loops of your own: any tool, with what the model wrote.
func ExampleCallTool() {
	for _, arguments := range []string{`{"city":"Bern"}`, `{"town":"Bern"}`} {
		text, err := adapters.CallTool(context.Background(), forecaster(), arguments, adapters.ErrorsAsText)
		first, _, _ := strings.Cut(text, "\n")
		fmt.Println(first, err)
	}
	// Output:
	// Bern: sunny <nil>
	// Error: bad arguments for the tool "forecast": "city" is required but missing. Send a JSON object with "city" (string, required). <nil>
}
