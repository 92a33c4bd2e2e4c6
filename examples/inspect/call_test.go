package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// TestCall calls tools by the names that they go by.
func TestCall(t *testing.T) {
	config := configure(t, entries{"library": url(serve(t, library(t, nil))), "twin": url(serve(t, twin()))})
	tests := []struct {
		name           string
		args           []string
		stdin          string
		status         int
		stdout, stderr string
	}{
		{"no arguments", []string{"call", "count"}, "", 0, "A few.", ""},
		{"exposed name", []string{"call", "library_search", `{"text": "x"}`}, "", 0, `found {"text":"x"}`, ""},
		{"exposed name of the other", []string{"call", "twin_search"}, "", 0, "found the twin", ""},
		{"two have it", []string{"call", "search"}, "", 2, "", `several servers have a tool "search": use one of library_search, twin_search, or -server`},
		{"one server", []string{"call", "search", "-server", "twin"}, "", 0, "found the twin", ""},
		{"prefix", []string{"-prefix", "call", "library_count"}, "", 0, "A few.", ""},
		{"original name with prefix", []string{"-prefix", "call", "count"}, "", 0, "A few.", ""},
		{"unknown", []string{"call", "nope"}, "", 1, "", `no server that answered has a tool "nope": the verb tools lists them`},
		{"misspelt", []string{"call", "shelv"}, "", 1, "", `no server that answered has a tool "shelv": did you mean shelve?`},
		{"stdin", []string{"call", "library_search", "-"}, `{"text": "from stdin"}`, 0, `found {"text":"from stdin"}`, ""},
		{"large number", []string{"call", "library_search", `{"limit": 12345678901234567890}`}, "", 0, "12345678901234567890", ""},
		{"failing tool", []string{"call", "burn"}, "", 1, "Error: we do not burn books", "library  call   burn: the tool reports a failure"},
		{"protocol error", []string{"call", "refuse"}, "", 1, "", "library  call   refuse: refused by the server: "},
		{"progress and logs", []string{"call", "shelve"}, "", 0, "done",
			"library/shelve: 1/2 (50%) first shelf\nlibrary/shelve: warning [dust]: a lot of it\n"},
		{"accept", []string{"call", "card", "-elicit", "accept"}, "", 1, "decline <nil> <nil>",
			`library  call   card: the answer of -elicit does not fit the question: "name" is required; declined`},
		{"accept with content", []string{"call", "card", "-elicit", `{"name": "Ada"}`}, "", 0, "accept Ada red",
			`library/card asked "Who are you?": accepted`},
		{"accept with all content", []string{"call", "card", "-elicit", `{"name": "Ada", "colour": "blue"}`}, "", 0, "accept Ada blue", "accepted"},
		{"wrong content", []string{"call", "card", "-elicit", `{"name": 7, "x": 1}`}, "", 1, "decline",
			`"name" must be a text; "x" is not a field of the form; declined`},
		{"decline", []string{"call", "card", "-elicit", "decline"}, "", 0, "decline", `library/card asked "Who are you?": declined`},
		{"cancel", []string{"call", "card", "-elicit", "cancel"}, "", 0, "cancel", `library/card asked "Who are you?": cancelled`},
		{"nobody to ask", []string{"call", "card"}, "", 0, "decline",
			"library/card: there is no terminal to ask on; -elicit answers without one\nlibrary/card asked"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := inspectWith(t.Context(), test.stdin, append([]string{"-config", config}, test.args...)...)
			r.must(t, test.status, test.stdout, test.stderr)
		})
	}
}

func TestCallJSON(t *testing.T) {
	config := configure(t, entries{"library": url(serve(t, library(t, nil)))})
	r := inspect(t, "-config", config, "-prefix", "-json", "call", "cover")
	r.must(t, statusOK, "{", "")
	type document struct {
		Name, Server, OriginalName, Text string
		Result                           struct {
			Content []struct {
				Type, MimeType string
				Data           []byte
			}
		}
	}
	got := decode[document](t, r)
	want := document{Name: "library_cover", Server: "library", OriginalName: "cover", Text: "Here it is:\n[image: image/png, 10 bytes]"}
	want.Result.Content = []struct {
		Type, MimeType string
		Data           []byte
	}{{Type: "text"}, {"image", "image/png", png}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if problems := errorsOf(t, r); len(problems) != 0 {
		t.Errorf("errors are %+v", problems)
	}
}

// TestElicitJSON: a question that did not get its answer is in the document.
func TestElicitJSON(t *testing.T) {
	config := configure(t, entries{"library": url(serve(t, library(t, nil)))})
	r := inspect(t, "-config", config, "-json", "-elicit", "accept", "call", "card")
	want := []problem{{
		Kind: kindElicitation, Server: "library", Tool: "card", Phase: "call",
		Message: `the answer of -elicit does not fit the question: "name" is required; declined`,
	}}
	if diff := cmp.Diff(want, errorsOf(t, r)); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if !strings.Contains(r.stdout, `"text": "decline`) {
		t.Errorf("the result is missing:\n%s", r.stdout)
	}
}

// TestStructured: what the text says already is not shown again.
func TestStructured(t *testing.T) {
	three, wrapped := map[string]any{"books": 3.0}, map[string]any{"result": "7"}
	for _, test := range []struct {
		name       string
		structured any
		text       []string
		want       string
	}{
		{"the text in a wrapper", wrapped, []string{"7"}, "7\n"},
		{"the text of two in a wrapper", wrapped, []string{"7", "8"}, "7\n8\n"},
		{"another text in a wrapper", wrapped, []string{"8"}, "8\nstructured content: {\n  \"result\": \"7\"\n}\n"},
		{"the value in a wrapper", three, []string{"3"}, "3\n"},
		{"no text", three, nil, "{\"books\":3}\n"},
		{"the same text", three, []string{`{"books": 3}`}, "{\"books\": 3}\n"},
		{"the same among others", three, []string{"Here:", `{"books": 3}`}, "Here:\n{\"books\": 3}\n"},
		{"other text", three, []string{"A few."}, "A few.\nstructured content: {\n  \"books\": 3\n}\n"},
	} {
		res := &mcp.CallToolResult{StructuredContent: test.structured}
		for _, text := range test.text {
			res.Content = append(res.Content, &mcp.TextContent{Text: text})
		}
		text := adapters.ResultText(res, nil)
		var b strings.Builder
		(&callReport{Text: &text, Result: res}).text(&b)
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
