package sampling_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

const (
	png   = "\x89PNG\r\n\x1a\n"
	png64 = "iVBORw0KGgo="
)

var (
	human  = llms.ChatMessageTypeHuman
	ai     = llms.ChatMessageTypeAI
	tool   = llms.ChatMessageTypeTool
	system = llms.ChatMessageTypeSystem
)

func text(s string) llms.ContentPart { return llms.TextPart(s) }

func response(id, name, content string) llms.ToolCallResponse {
	return llms.ToolCallResponse{ToolCallID: id, Name: name, Content: content}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	everything := &sampling.Options{Tools: true, Audio: true}
	for name, tt := range map[string]struct {
		opts   *sampling.Options
		params string
		want   []llms.MessageContent
	}{
		"text": {
			nil, `{"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`,
			[]llms.MessageContent{message(human, text("hi"))},
		},
		"system prompt and turns": {
			nil, `{"systemPrompt":"Be brief.","messages":[
				{"role":"user","content":{"type":"text","text":"a"}},
				{"role":"assistant","content":{"type":"text","text":"b"}},
				{"role":"user","content":{"type":"text","text":"c"}},
				{"role":"assistant","content":{"type":"text","text":"d:"}}]}`,
			[]llms.MessageContent{message(system, text("Be brief.")), message(human, text("a")), message(ai, text("b")), message(human, text("c")), message(ai, text("d:"))},
		},
		"texts that say nothing": {
			nil, `{"systemPrompt":" ","messages":[
				{"role":"assistant","content":{"type":"text","text":""}},
				{"role":"user","content":[]},
				{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"a\u0000"},{"type":"text","text":"b"}]},
				{"role":"user","content":{"type":"text","text":""}}]}`,
			[]llms.MessageContent{message(human, text("a\uFFFD\nb"))},
		},
		"images and audio": {
			everything, `{"messages":[{"role":"user","content":[
				{"type":"text","text":"What"},{"type":"image","data":"` + png64 + `","mimeType":"image/png; x=1"},{"type":"text","text":"is"},
				{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"image","data":"` + png64 + `"}]}]}`,
			[]llms.MessageContent{message(human, text("What"), llms.BinaryPart("image/png", []byte(png)), text("is"),
				llms.BinaryPart("audio/wav", []byte{0, 0, 0}), llms.BinaryPart("image/png", []byte(png)))},
		},
		"images as data URLs": {
			&sampling.Options{Images: sampling.ImagesAsDataURL},
			`{"messages":[{"role":"user","content":{"type":"image","data":"` + png64 + `","mimeType":"image/png"}}]}`,
			[]llms.MessageContent{message(human, llms.ImageURLPart("data:image/png;base64,"+png64))},
		},
		"what the model is said to have shown": {
			nil, `{"messages":[{"role":"assistant","content":[{"type":"text","text":"Here:"},
				{"type":"image","data":"` + png64 + `","mimeType":"image/png"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}]}`,
			[]llms.MessageContent{message(ai, text("Here:\n[image: image/png, 8 bytes]\n[audio: audio/wav, 3 bytes]"))},
		},
		"tool calls": {
			everything, `{"messages":[
				{"role":"user","content":{"type":"text","text":"Compare."}},
				{"role":"assistant","content":[{"type":"text","text":"Both."},{"type":"tool_use","id":"1","name":"weather","input":{"n":1,"t":"<"}},
					{"type":"tool_use","id":"2","name":"time"}]},
				{"role":"user","content":[{"type":"tool_result","toolUseId":"2","content":[{"type":"text","text":"noon"}]},
					{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"sun"},{"type":"text","text":"25"}]}]},
				{"role":"assistant","content":{"type":"tool_use","id":"3","name":"time","input":{}}},
				{"role":"user","content":{"type":"tool_result","toolUseId":"3","content":[]}}]}`,
			[]llms.MessageContent{
				message(human, text("Compare.")),
				message(ai, toolCall("1", "weather", `{"n":1,"t":"<"}`), text("Both.")),
				message(tool, response("1", "weather", "sun\n25")),
				message(ai, toolCall("2", "time", `{}`)),
				message(tool, response("2", "time", "noon")),
				message(ai, toolCall("3", "time", `{}`)),
				message(tool, response("3", "time", "")),
			},
		},
		"rich results": {
			everything, `{"messages":[
				{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x"},{"type":"tool_use","id":"2","name":"y"}]},
				{"role":"user","content":[
					{"type":"tool_result","toolUseId":"1","content":[{"type":"image","data":"` + png64 + `","mimeType":"image/png"},
						{"type":"image","data":"AAAA","mimeType":"text/html"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]},
					{"type":"tool_result","toolUseId":"2","content":[{"type":"resource_link","name":"n","uri":"file:///a\nb"},
						{"type":"resource","resource":{"uri":"file:///t","text":"line\nline"}},{"type":"resource","resource":{"uri":"file:///b","blob":"AAAA"}},
						{"type":"resource"}]}]},
				{"role":"user","content":{"type":"text","text":"Well?"}}]}`,
			[]llms.MessageContent{
				message(ai, toolCall("1", "x", `{}`)),
				message(tool, response("1", "x", "[image, attached below as attachment 1]\n[image: text/html, 3 bytes]\n[audio, attached below as attachment 2]")),
				message(ai, toolCall("2", "y", `{}`)),
				message(tool, response("2", "y", "[resource: n file:///a b]\n[resource: file:///t]\nline\nline\n[resource file:///b: application/octet-stream, 3 bytes]")),
				message(human, text("Attachment 1:"), llms.BinaryPart("image/png", []byte(png)), text("Attachment 2:"), llms.BinaryPart("audio/wav", []byte{0, 0, 0})),
				message(human, text("Well?")),
			},
		},
		"results without audio": {
			&sampling.Options{Tools: true}, `{"messages":[{"role":"assistant","content":{"type":"tool_use","id":"1","name":"x"}},
				{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}}]}`,
			[]llms.MessageContent{message(ai, toolCall("1", "x", `{}`)), message(tool, response("1", "x", "[audio: audio/wav, 3 bytes]"))},
		},
		"structured results and errors": {
			everything, `{"messages":[
				{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x"},{"type":"tool_use","id":"2","name":"x"},{"type":"tool_use","id":"3","name":"x"},
					{"type":"tool_use","id":"4","name":"x"},{"type":"tool_use","id":"5","name":"x"}]},
				{"role":"user","content":[
					{"type":"tool_result","toolUseId":"1","content":[],"structuredContent":{"a":"<"}},
					{"type":"tool_result","toolUseId":"2","content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}},
					{"type":"tool_result","toolUseId":"3","content":[{"type":"text","text":"too late"}],"isError":true},
					{"type":"tool_result","toolUseId":"4","content":[{"type":"text","text":" ERROR 404"}],"isError":true},
					{"type":"tool_result","toolUseId":"5","isError":true}]}]}`,
			[]llms.MessageContent{
				message(ai, toolCall("1", "x", `{}`)), message(tool, response("1", "x", `{"a":"<"}`)),
				message(ai, toolCall("2", "x", `{}`)), message(tool, response("2", "x", "a")),
				message(ai, toolCall("3", "x", `{}`)), message(tool, response("3", "x", "Error: too late")),
				message(ai, toolCall("4", "x", `{}`)), message(tool, response("4", "x", " ERROR 404")),
				message(ai, toolCall("5", "x", `{}`)), message(tool, response("5", "x", "Error: the tool reported a failure without saying why.")),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: says("ok")}
			if _, err := sample(t, model, tt.opts, tt.params); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, model.messages); diff != "" {
				t.Errorf("messages (-want +got)\n%s", diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tools := &sampling.Options{Tools: true}
	const (
		hi  = `{"role":"user","content":{"type":"text","text":"hi"}}`
		use = `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x"},{"type":"tool_use","id":"2","name":"x"}]}`
	)
	result := func(ids ...string) string {
		var blocks []string
		for _, id := range ids {
			blocks = append(blocks, `{"type":"tool_result","toolUseId":"`+id+`","content":[]}`)
		}
		return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
	}
	messages := func(list ...string) string { return `{"messages":[` + strings.Join(list, ",") + `]}` }
	for name, tt := range map[string]struct {
		opts   *sampling.Options
		params string
		want   string
	}{
		"no messages":          {tools, messages(), "there are no messages"},
		"null":                 {tools, messages("null"), "message 0 is null"},
		"nothing in them":      {tools, messages(`{"role":"user","content":[]}`), "there is nothing in the messages"},
		"role":                 {tools, messages(hi, `{"role":"sys\u001b","content":[]}`), `message 1: role "sys\x1b" is neither user nor assistant`},
		"max tokens":           {tools, `{"maxTokens":-1,"messages":[` + hi + `]}`, "maxTokens is negative: -1"},
		"temperature":          {tools, `{"temperature":-0.5,"messages":[` + hi + `]}`, "temperature is negative: -0.5"},
		"undeclared tools":     {nil, `{"tools":[{"name":"x","inputSchema":{}}],"messages":[` + hi + `]}`, "sampling.tools"},
		"undeclared choice":    {nil, `{"toolChoice":{},"messages":[` + hi + `]}`, "sampling.tools"},
		"undeclared use":       {nil, messages(use, result("1", "2")), "sampling.tools"},
		"tool without a name":  {tools, `{"tools":[{"inputSchema":{}}],"messages":[` + hi + `]}`, "tool 0 has no name"},
		"tool that is null":    {tools, `{"tools":[null],"messages":[` + hi + `]}`, "tool 0 has no name"},
		"tool twice":           {tools, `{"tools":[{"name":"x"},{"name":"x"}],"messages":[` + hi + `]}`, `there are two tools "x"`},
		"choice":               {tools, `{"tools":[{"name":"x"}],"toolChoice":{"mode":"any"},"messages":[` + hi + `]}`, `mode "any" is none of`},
		"no result":            {tools, messages(use), "tool result missing in request"},
		"result before":        {tools, messages(hi, result("1")), `message 1: tool result for "1", which is no tool use of the message before`},
		"text for a result":    {tools, messages(use, hi), "message 1: tool result missing in request"},
		"use for a result":     {tools, messages(use, use), "message 1: tool result missing in request"},
		"one result of two":    {tools, messages(use, result("2")), "message 1: tool result missing in request"},
		"result twice":         {tools, messages(use, result("1", "2", "1")), `message 1: two tool results for "1"`},
		"result too late":      {tools, messages(use, result("1", "2"), result("1")), `message 2: tool result for "1"`},
		"mixed":                {tools, messages(use, strings.Replace(result("1", "2"), "[{", `[{"type":"text","text":"and"},{`, 1)), "message 1: tool results mixed with other content"},
		"use of the user":      {tools, messages(strings.Replace(use, "assistant", "user", 1)), "message 0: a user message cannot hold a tool use"},
		"result of the model":  {tools, messages(strings.Replace(result("1"), "user", "assistant", 1)), "message 0: an assistant message cannot hold a tool result"},
		"id twice":             {tools, messages(strings.Replace(use, `"2"`, `"1"`, 1), result("1")), `two tool uses have the id "1"`},
		"no id":                {tools, messages(strings.Replace(use, `"2"`, `""`, 1)), "a tool use has no id or no name"},
		"image without data":   {tools, messages(`{"role":"user","content":{"type":"image","mimeType":"image/png"}}`), "the image has no data"},
		"image that is a page": {tools, messages(`{"role":"user","content":{"type":"image","mimeType":"text/html","data":"AAAA"}}`), `media type "text/html"`},
		"audio":                {tools, messages(`{"role":"user","content":{"type":"audio","mimeType":"audio/wav","data":"AAAA"}}`), "takes no audio"},
		"audio without data":   {&sampling.Options{Audio: true}, messages(`{"role":"user","content":{"type":"audio"}}`), "the audio has no data"},
		"size":                 {&sampling.Options{MaxBytes: 50}, messages(hi), "more than the 50 that this client takes"},
		"long quotes":          {tools, messages(`{"role":"` + strings.Repeat("ä", 1000) + `","content":[]}`), `äää…"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: says("ok")}
			res, err := sample(t, model, tt.opts, tt.params)
			if code(t, err) != -32602 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want %s", res, err, tt.want)
			}
			if model.asked != 0 {
				t.Error("the model was asked")
			}
		})
	}
}
