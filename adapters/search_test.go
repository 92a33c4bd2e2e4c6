package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func foundNames(list []tools.Tool) []string {
	names := []string{}
	for _, tool := range list {
		names = append(names, tool.Name())
	}
	return names
}

func searchable(t testing.TB, name, description string, handler interceptors.Handler) *adapters.Tool {
	t.Helper()
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: name, ServerName: "weather",
		Tool: &mcp.Tool{Name: name, Description: description, InputSchema: schemaOf(t,
			`{"type":"object","properties":{"city":{"type":"string","description":"Where, such as Bremen."}},"required":["city"]}`)},
		Handler: handler,
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestToolIndex(t *testing.T) {
	t.Parallel()
	index := adapters.NewToolIndex([]tools.Tool{
		nil, (*adapters.Tool)(nil),
		searchable(t, "getForecast", "Predicts rain.", nil0),
		searchable(t, "list_HTTPServers", "Lists machines.", nil0),
		echoTool("天気予報"),
		searchable(t, "getForecast", "Predicts rain.", nil0),
	})
	tests := []struct {
		query string
		limit int
		want  []string
	}{
		{"forecasts", 0, []string{"getForecast", "getForecast"}},
		{"FORECAST", 1, []string{"getForecast"}},
		{"server listing", 1, []string{"list_HTTPServers"}},
		{"http", 0, []string{"list_HTTPServers"}},
		{"予報", 0, []string{"天気予報"}},
		{"raining machine", 0, []string{"list_HTTPServers", "getForecast", "getForecast"}},
		{"", 0, []string{}},
		{"the of and ", 0, []string{}},
		{"\xff\x00 nothing like it", 0, []string{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, foundNames(index.Find(test.query, test.limit))); diff != "" {
			t.Errorf("%q: %s", test.query, diff)
		}
	}
	if found := adapters.NewToolIndex(nil).Find("anything", 0); len(found) != 0 {
		t.Errorf("an empty index finds %v", found)
	}
}

// nil0 is a handler for tools that are not called.
func nil0(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
	return nil, errors.New("not to be called")
}

func TestSearchTools(t *testing.T) {
	t.Parallel()
	var called []string
	forecast := searchable(t, "forecast", "Predicts the weather.", func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		called = append(called, fmt.Sprint(req.ServerName, "/", req.ToolName, req.Arguments))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rain"}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}}}}, nil
	})
	lost := searchable(t, "lost", "Is lost.", nil0)
	list := []tools.Tool{nil, (*adapters.Tool)(nil), forecast, lost, echoTool("plain")}
	var listErr error
	pair := adapters.SearchTools(func(context.Context) ([]tools.Tool, error) { return list, listErr }, nil)
	find, call := pair[0], pair[1].(*adapters.Tool)
	ask := func(tool tools.Tool, input string) string {
		t.Helper()
		text, err := tool.Call(t.Context(), input)
		if err != nil {
			return "error " + err.Error()
		}
		return text
	}
	tests := []struct {
		tool  tools.Tool
		input string
		want  []string
	}{
		{find, `{"query":"weather of tomorrow"}`, []string{`{"name":"forecast","server":"weather","description":"Predicts the weather.","arguments":{`, `"required":["city"]`}},
		{find, `{"query":"predict","limit":1}`, []string{`"forecast"`}},
		{find, `{"query":"xyzzy"}`, []string{"None of the 3 tools fits", `"weather"`}},
		{find, `{}`, []string{"required"}},
		{call, `{"name":"forecast","arguments":{"city":"Bremen"}}`, []string{"rain\n[image: image/png, 1 byte]"}},
		{call, `{"name":"forecast","arguments":"{\"city\":\"Bonn\"}"}`, []string{"rain\n"}},
		{call, `{"name":"forecast","arguments":{"city":5}}`, []string{"Error: bad arguments for the tool \"forecast\"", `"city"`}},
		{call, `{"name":"forecast"}`, []string{`"city"`}},
		{call, `{"name":"forecasting","arguments":{}}`, []string{`there is no tool "forecasting". Similar names: forecast`}},
		{call, `{"name":"plain","arguments":{"input":"hello"}}`, []string{"<hello>"}},
		{call, `{"name":"plain","arguments":{"a":1}}`, []string{`<{"a":1}>`}},
		{call, `{"name":"lost","arguments":{"city":"x"}}`, []string{"error ", "not to be called"}},
	}
	for _, test := range tests {
		got := ask(test.tool, test.input)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s(%s) gives %q, want %q in it", test.tool.Name(), test.input, got, want)
			}
		}
	}
	if diff := cmp.Diff([]string{"weather/forecastmap[city:Bremen]", "weather/forecastmap[city:Bonn]"}, called); diff != "" {
		t.Error("calls", diff)
	}
	res, err := call.Invoke(t.Context(), map[string]any{"name": "forecast", "arguments": map[string]any{"city": "Kiel"}})
	if err != nil || len(res.Content) != 2 {
		t.Errorf("the whole result is %v, %v", res, err)
	}

	// The list may change, come with an error, or not come.
	list, listErr = []tools.Tool{searchable(t, "tides", "When the sea rises.", nil0)}, errors.New("one server is down")
	if got := ask(find, `{"query":"sea"}`); !strings.Contains(got, "tides") {
		t.Errorf("after a change find_tools gives %q", got)
	}
	if got := ask(call, `{"name":"forecast"}`); !strings.Contains(got, "there is no tool") {
		t.Errorf("a tool that is gone gives %q", got)
	}
	list = nil
	if got := ask(find, `{"query":"sea"}`); !strings.Contains(got, "one server is down") {
		t.Errorf("without a list find_tools gives %q", got)
	}
}

func TestSearchToolsBounds(t *testing.T) {
	t.Parallel()
	var list []tools.Tool
	for i := range 50 {
		list = append(list, searchable(t, fmt.Sprintf("forecast_%d", i), strings.Repeat("weather ", 1000), nil0))
	}
	find := adapters.SearchTools(func(context.Context) ([]tools.Tool, error) { return list, nil }, &adapters.SearchOptions{MaxText: 3000})[0]
	text, err := find.Call(t.Context(), `{"query":"weather","limit":1000000}`)
	if err != nil || len(text) > 4000 || !strings.Contains(text, "more tools fit") {
		t.Errorf("%d bytes, %v: %.200s", len(text), err, text)
	}
}

func FuzzToolIndex(f *testing.F) {
	f.Add("get_HTTPServer", "Lists files.", "list http")
	f.Fuzz(func(t *testing.T, name, description, query string) {
		index := adapters.NewToolIndex([]tools.Tool{searchable(t, "x"+name, description, nil0), echoTool(name)})
		if n := len(index.Find(query, 1)); n > 1 {
			t.Errorf("%d tools", n)
		}
		if n := len(index.Find(query, 0)); n > 2 {
			t.Errorf("%d tools", n)
		}
	})
}

func ExampleSearchTools() {
	forecast, _ := adapters.NewTool(adapters.ToolConfig{
		Name: "forecast", ServerName: "weather", Tool: &mcp.Tool{Name: "forecast", Description: "Predicts the weather of a city."},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%v: rain", req.Arguments["city"])}}}, nil
		},
	})
	search := adapters.SearchTools(func(context.Context) ([]tools.Tool, error) { return []tools.Tool{forecast}, nil }, nil)

	ctx := context.Background()
	found, _ := search[0].Call(ctx, `{"query":"will it rain? the weather, please"}`)
	fmt.Println(found)
	text, _ := search[1].Call(ctx, `{"name":"forecast","arguments":{"city":"Bremen"}}`)
	fmt.Println(text)
	// Output:
	// {"name":"forecast","server":"weather","description":"Predicts the weather of a city.","arguments":{"properties":{},"type":"object"}}
	// Bremen: rain
}
