package adapters_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// The images of a whole run are bounded, and the newest are those that are shown.
func TestRunForgetsOldMedia(t *testing.T) {
	const gone = "[image/png: no longer shown, since newer ones have come]"
	large := func(name string) []byte { return []byte(pngMagic + name + strings.Repeat("x", 3<<20)) }
	for name, tt := range map[string]struct {
		options adapters.RunOptions
		of      func(call string) []byte
		perCall int
		left    int
		newest  string
	}{
		"by default, 20":       {of: func(call string) []byte { return []byte(pngMagic + call) }, perCall: 7, left: 20, newest: "C"},
		"by default, 12 MiB":   {of: large, perCall: 2, left: 3, newest: "C"},
		"as many as one likes": {options: adapters.RunOptions{MaxMedia: -1, MaxMediaBytes: -1}, of: large, perCall: 9, left: 27, newest: "C"},
		"some":                 {options: adapters.RunOptions{MaxMedia: 2}, of: large, perCall: 1, left: 2, newest: "C"},
		"not even one":         {options: adapters.RunOptions{MaxMediaBytes: 10}, of: large, perCall: 1, left: 0},
		"as URLs": {options: adapters.RunOptions{MaxMediaBytes: 4 << 20, Media: func(res *mcp.CallToolResult) []llms.ContentPart {
			return adapters.ResultParts(res, adapters.ImagesAsDataURL)
		}}, of: large, perCall: 1, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			tool := mcpTool(t, "shot", adapters.ToolOptions{}, func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
				res := &mcp.CallToolResult{}
				for range tt.perCall {
					res.Content = append(res.Content, &mcp.ImageContent{MIMEType: "image/png", Data: tt.of(fmt.Sprint(req.Arguments["n"]))})
				}
				return res, nil
			})
			given := append([]llms.MessageContent{message(roleHuman, llms.BinaryPart("image/png", []byte(pngMagic+"given")))}, ask("?")...)
			model := script(calls(call("1", "shot", `{"n":"A"}`)), calls(call("2", "shot", `{"n":"B"}`)), calls(call("3", "shot", `{"n":"C"}`)), says("ok"))
			got, err := adapters.Run(t.Context(), model, given, []tools.Tool{tool}, &tt.options)
			if err != nil {
				t.Fatal(err)
			}
			var media []llms.ContentPart
			notes := 0
			for _, m := range got.Messages[1:] {
				for _, part := range m.Parts {
					switch part := part.(type) {
					case llms.BinaryContent, llms.ImageURLContent:
						media = append(media, part)
					case llms.TextContent:
						if part.Text == gone || part.Text == strings.Replace(gone, "/png", "", 1) {
							notes++
						}
					}
				}
			}
			if len(media) != tt.left || notes != 3*tt.perCall-tt.left {
				t.Errorf("%d media and %d notes, want %d of %d", len(media), notes, tt.left, 3*tt.perCall)
			}
			if n := len(media); n > 0 && tt.newest != "" && !strings.HasPrefix(string(media[n-1].(llms.BinaryContent).Data), pngMagic+tt.newest) {
				t.Error("the last is not the newest")
			}
			if _, ok := got.Messages[0].Parts[0].(llms.BinaryContent); !ok {
				t.Errorf("what was given is %v", got.Messages[0].Parts[0])
			}
		})
	}
}

// What a server means for others than the model is not sent on to it, by the
// option of the tool.
func TestRunMediaRespectsAudience(t *testing.T) {
	content := []mcp.Content{
		&mcp.ImageContent{MIMEType: "image/png", Data: []byte(pngMagic + "user"), Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}}},
		&mcp.ImageContent{MIMEType: "image/png", Data: []byte(pngMagic + "all")},
	}
	for _, respect := range []bool{false, true} {
		for _, own := range []bool{false, true} {
			tool := mcpTool(t, "shot", adapters.ToolOptions{RespectAudience: respect}, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content}, nil
			})
			options := &adapters.RunOptions{}
			if own {
				options.Media = func(res *mcp.CallToolResult) []llms.ContentPart {
					return adapters.ResultParts(res, adapters.ImagesAsBinary)
				}
			}
			got, err := adapters.Run(t.Context(), script(calls(call("1", "shot", `{}`)), says("ok")), ask("?"), []tools.Tool{tool}, options)
			if err != nil {
				t.Fatal(err)
			}
			shown := slices.ContainsFunc(got.Messages[len(got.Messages)-2].Parts, func(p llms.ContentPart) bool {
				b, ok := p.(llms.BinaryContent)
				return ok && string(b.Data) == pngMagic+"user"
			})
			if shown == respect {
				t.Errorf("respected: %v, own: %v, shown: %v", respect, own, shown)
			}
		}
	}
}
