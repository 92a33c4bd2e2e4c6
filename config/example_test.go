package config_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func ExampleConnections() {
	connections := config.Connections{
		"math": config.Stdio{Command: "python", Args: []string{"math_server.py"}},
		"weather": config.StreamableHTTP{
			URL:  "https://example.com/mcp?key=secret",
			HTTP: config.HTTP{Headers: http.Header{"Authorization": {"Bearer secret"}}},
		},
	}
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		fmt.Printf("%s: %v\n", name, connections[name])
	}
	// Output:
	// math: stdio "python" (1 arg)
	// weather: streamable_http https://example.com/mcp
}

func ExampleConnections_Validate() {
	err := config.Connections{
		"math":    config.Stdio{Args: []string{"math_server.py"}},
		"weather": config.StreamableHTTP{URL: "localhost:8000/mcp"},
	}.Validate()
	fmt.Println(err)
	// Output:
	// config: 2 faults:
	//   server "math": command: is required
	//   server "weather": url: does not start with http:// or https://
}

func ExampleParse() {
	connections, err := config.Parse([]byte(`{
		"mcpServers": {
			"math": {"command": "python", "args": ["math_server.py"]},
			"weather": {
				"type": "http",
				"url": "${WEATHER_URL:-http://localhost:8000}/mcp",
				"headers": {"Authorization": "Bearer ${WEATHER_TOKEN}"}
			}
		}
	}`), &config.ParseOptions{
		LookupEnv: func(name string) (string, bool) {
			value, ok := map[string]string{"WEATHER_TOKEN": "secret"}[name]
			return value, ok
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(connections["math"])
	fmt.Println(connections["weather"])
	// Output:
	// stdio "python" (1 arg)
	// streamable_http http://localhost:8000/mcp
}

func ExampleParse_faults() {
	_, err := config.Parse([]byte(`{
		"math": {"transport": "stdio", "command": "python", "args": [1]},
		"weather": {"transport": "http", "url": "http://${HOST_OF_WEATHER}/mcp"}
	}`), nil)
	fmt.Println(err)
	// Output:
	// config: 2 faults:
	//   2:64: server "math": args[0]: expected a string, found number
	//   3:36: server "weather": url: the variable HOST_OF_WEATHER is not set: set it, or write ${HOST_OF_WEATHER:-default}
}

func ExampleLoad() {
	connections, err := config.Load("testdata/claude_desktop.json", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(connections["filesystem"])
	// Output: stdio "npx" (4 args)
}
