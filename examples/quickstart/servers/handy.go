package servers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handy returns a server that calculates and knows the weather.
func Handy() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "handy", Version: "1.0.0"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Add two numbers.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in operands) (*mcp.CallToolResult, any, error) {
			return number(in.A + in.B), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "multiply", Description: "Multiply two numbers.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, in operands) (*mcp.CallToolResult, any, error) {
			return number(in.A * in.B), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "weather", Description: "The weather in a city of Europe.", Annotations: readOnly}, weather)
	return s
}

type operands struct {
	A float64 `json:"a" jsonschema:"the first number"`
	B float64 `json:"b" jsonschema:"the second number"`
}

func number(x float64) *mcp.CallToolResult {
	return text("%s", strconv.FormatFloat(x, 'f', -1, 64)) // models read no exponents
}

type place struct {
	City string `json:"city" jsonschema:"the English name of the city"`
}

// forecast is the structured content of a result.
type forecast struct {
	City    string `json:"city"`
	Celsius int    `json:"celsius"`
	Sky     string `json:"sky"`
}

func weather(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, forecast, error) {
	known := map[string]forecast{
		"berlin": {"Berlin", 14, "cloudy"},
		"lisbon": {"Lisbon", 23, "sunny"},
		"oslo":   {"Oslo", 6, "rain"},
	}
	f, ok := known[strings.ToLower(strings.TrimSpace(in.City))]
	if !ok {
		// an error of a tool is for the model to read, so say what would work
		return nil, forecast{}, fmt.Errorf("no weather for %q: ask for one of %q", in.City, slices.Sorted(maps.Keys(known)))
	}
	return text("%s: %d °C, %s", f.City, f.Celsius, f.Sky), f, nil
}
