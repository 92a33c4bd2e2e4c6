package multiclient_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// One entry of a list that cannot be decoded costs itself, and is reported.
func TestMalformedEntriesCostThemselves(t *testing.T) {
	leak.Check(t)
	s := testserver.Script{
		"tools/list":               `{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":5},{"name":"bad","annotations":{"readOnlyHint":"yes"}},{"name":"better","inputSchema":{"type":"object"}}]}`,
		"prompts/list":             `{"prompts":[{"name":"good"},{"name":"bad","arguments":{}}]}`,
		"resources/list":           `{"resources":[{"name":"good","uri":"x://good"},{"name":"bad","uri":1}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"name":"good","uriTemplate":"x://{g}"},{"name":"bad","uriTemplate":[]}]}`,
	}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		var f faults
		c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{Callbacks: f.callbacks()})
		tools, err := c.Tools(t.Context())
		if err != nil || len(tools) != 2 || tools[0].Name() != "good" || tools[1].Name() != "better" {
			t.Errorf("tools: %v, %v", tools, err)
		}
		prompts, err := c.Prompts(t.Context())
		if err != nil || len(prompts) != 1 || prompts[0].Name != "good" {
			t.Errorf("prompts: %v, %v", prompts, err)
		}
		resources, err := c.Resources(t.Context())
		if err != nil || len(resources) != 1 || resources[0].Name != "good" {
			t.Errorf("resources: %v, %v", resources, err)
		}
		templates, err := c.ResourceTemplates(t.Context())
		if err != nil || len(templates) != 1 || templates[0].Name != "good" {
			t.Errorf("templates: %v, %v", templates, err)
		}
		eventually(t, func() bool { return len(f.told()) >= 5 })
		told := strings.Join(f.told(), "\n")
		for _, want := range []string{"the tool with index 1 was left out", `the tool with index 2 ("bad")`,
			`the prompt with index 1 ("bad")`, `the resource with index 1 ("bad")`, `the resource template with index 1 ("bad")`} {
			if !strings.Contains(told, want) {
				t.Errorf("the reports do not say %q:\n%s", want, told)
			}
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 || st.Tools != 2 {
			t.Errorf("the server is %s in generation %d with %d tools", st.State, st.Generation, st.Tools)
		}
	})
}

// A result that cannot be decoded costs its call.
func TestMalformedResultsCostTheirCalls(t *testing.T) {
	leak.Check(t)
	s := testserver.Script{
		"good":   `{"content":[{"type":"text","text":"fine"}]}`,
		"a list": `[]`,
		"a text": `"done"`,
	}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		c := newClient(t, config.Connections{"s": connection}, nil)
		for name := range s {
			res, err := c.CallTool(t.Context(), "s", name, nil)
			if name == "good" {
				continue
			}
			if err == nil {
				t.Errorf("%s: the call gave %+v", name, res)
			} else if !errors.Is(err, multiclient.ErrBadAnswer) || !strings.Contains(err.Error(), `"s"`) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: the error does not say which call failed: %v", name, err)
			}
			if got := call(t, c, "s", "good", nil); got != "fine" {
				t.Errorf("after %s a good call gave %q", name, got)
			}
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
	})
}

// So is one that can be decoded but is of no use, in a list without another fault.
func TestUselessEntriesAreReported(t *testing.T) {
	leak.Check(t)
	s := testserver.Script{
		"tools/list":               `{"tools":[{"name":"good"},null,{"name":""},{"name":null,"title":"bad"},{"title":"bad"}]}`,
		"prompts/list":             `{"prompts":[{"name":"good"},null]}`,
		"resources/list":           `{"resources":[null,{"name":"good","uri":"x://good"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"name":"good","uriTemplate":"x://{g}"},null]}`,
	}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		var f faults
		c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{Callbacks: f.callbacks()})
		tools, err := c.Tools(t.Context())
		if err != nil || len(tools) != 1 {
			t.Errorf("tools: %v, %v", toolNames(tools), err)
		}
		prompts, promptErr := c.Prompts(t.Context())
		resources, resourceErr := c.Resources(t.Context())
		templates, templateErr := c.ResourceTemplates(t.Context())
		if err := errors.Join(promptErr, resourceErr, templateErr); err != nil || len(prompts) != 1 || len(resources) != 1 || len(templates) != 1 {
			t.Errorf("%v, %v, %v, %v", prompts, resources, templates, err)
		}
		eventually(t, func() bool { return len(f.told()) >= 7 })
		told := strings.Join(f.told(), "\n")
		for _, want := range []string{"the tool with index 1 was left out", "the tool with index 2 was left out", "the tool with index 3 was left out", "the tool with index 4 was left out",
			"the prompt with index 1 was left out", "the resource with index 0 was left out", "the resource template with index 1 was left out"} {
			if !strings.Contains(told, want) {
				t.Errorf("the reports do not say %q:\n%s", want, told)
			}
		}
	})
}

// An answer that is no message costs its call at once, and not its timeout.
func TestAnswersThatAreNoMessagesCostTheirCalls(t *testing.T) {
	leak.Check(t)
	s := testserver.Script{
		"good":          `{"content":[{"type":"text","text":"fine"}]}`,
		"deep":          `{"structuredContent":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000) + `}`,
		"broken":        `!{"jsonrpc":"2.0","id":ID,"result":{"content":[}}`,
		"other version": `!{"jsonrpc":"1.0","id":ID,"result":{"content":[]}}`,
	}
	onEachScript(t, s, 1<<20, func(t *testing.T, connection config.Connection) {
		c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{CallTimeout: 10 * time.Second})
		for name := range s {
			if _, err := c.CallTool(t.Context(), "s", name, nil); name != "good" && !errors.Is(err, multiclient.ErrBadAnswer) {
				t.Errorf("%s: %v", name, err)
			}
			if got := call(t, c, "s", "good", nil); got != "fine" {
				t.Errorf("after %s a good call gave %q", name, got)
			}
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
	})
}

// Content that cannot be decoded costs itself: what can be read of a result is
// what the call gives.
func TestMalformedContentCostsItself(t *testing.T) {
	leak.Check(t)
	s := testserver.Script{
		"unknown content": `{"content":[{"type":"text","text":"a"},{"type":"hologram","data":"x"}],"structuredContent":{"n":1}}`,
		"bad base64":      `{"content":[{"type":"image","mimeType":"image/png","data":"%%%"}]}`,
		"bad block":       `{"content":["text"]}`,
		"bad text":        `{"content":[{"type":"text","text":5}]}`,
		"bad content":     `{"content":{"type":"text","text":"one"}}`,
		"bad isError":     `{"content":[{"type":"text","text":"oh"}],"isError":"yes"}`,
		"good isError":    `{"content":[{"type":"text","text":"fine"}],"isError":"false"}`,
	}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		c := newClient(t, config.Connections{"s": connection}, nil)
		for name, want := range map[string]string{
			"unknown content": "a\n[unsupported content: \"hologram\"]", "bad base64": `[unsupported content: "image"]`, "bad block": "text",
			"bad text": "5", "bad content": "one", "bad isError": "Error: oh", "good isError": "fine",
		} {
			res, err := c.CallTool(t.Context(), "s", name, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := adapters.ResultText(res, nil); got != want {
				t.Errorf("%s: the call gave %q, want %q", name, got, want)
			}
		}
	})
}

// A message over the limit costs the call that it answers.
func TestOversizeMessagesCostTheirCalls(t *testing.T) {
	leak.Check(t)
	note := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"BIG"}}`
	ask := `{"jsonrpc":"2.0","id":"big","method":"sampling/createMessage","params":{"systemPrompt":"BIG"}}`
	s := testserver.Script{
		"good":                 `{"content":[{"type":"text","text":"fine"}]}`,
		"id first":             `!{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"BIG"}]}}`,
		"id last":              `!{"result":{"content":[{"type":"text","text":"BIG"}]},"jsonrpc":"2.0","id":ID}`,
		"id last, much larger": `!{"result":{"content":[{"type":"text","text":"BIGBIGBIGBIGBIGBIG"}]},"jsonrpc":"2.0","id":ID}`,
		"an error":             `!{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"BIG"}}`,
		"after a log message":  `!` + note + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`,
		"after a question":     `!` + ask + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`,
	}
	onEachScript(t, s, 8<<10, func(t *testing.T, connection config.Connection) {
		var f faults
		c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{Callbacks: f.callbacks()})
		costly := 0
		for name := range s {
			res, err := c.CallTool(t.Context(), "s", name, nil)
			lines := strings.HasPrefix(name, "after")
			if lines && strings.HasSuffix(t.Name(), "whole") {
				continue // two messages are no JSON
			}
			switch {
			case name == "good", lines && err == nil:
				if err != nil || textOf(res) != "fine" {
					t.Errorf("%s: the call gave %v, %v", name, res, err)
				}
			case err == nil || !strings.Contains(err.Error(), "more than 8192 bytes"):
				t.Errorf("%s: the call gave %v, %v", name, res, err)
			case !errors.Is(err, multiclient.ErrBadAnswer):
				t.Errorf("%s: the error does not say that the tool may have run: %v", name, err)
			}
			if name != "good" {
				costly++
			}
			if got := call(t, c, "s", "good", nil); got != "fine" {
				t.Errorf("after %s a good call gave %q", name, got)
			}
		}
		eventually(t, func() bool { return len(f.told()) >= costly })
		for _, told := range f.told() {
			if !strings.Contains(told, "more than 8192 bytes") {
				t.Errorf("the callbacks were told %.300s", told)
			}
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
	})
}
