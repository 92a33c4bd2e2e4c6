package adapters_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

const (
	noParameters  = `{"type":"object"}`
	oneRequired   = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`
	oneOptional   = `{"type":"object","properties":{"path":{"type":"string"}}}`
	twoRequired   = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`
	twoOptional   = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`
	oneInteger    = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	ownArg1       = `{"type":"object","properties":{"__arg1":{"type":"string"},"n":{"type":"integer"}},"required":["__arg1"]}`
	untypedString = `{"type":"object","properties":{"v":{}},"required":["v"]}`
)

type object = map[string]any

func TestCallInput(t *testing.T) {
	city := object{"city": "Paris"}
	tests := []struct {
		name, schema, input string
		want                object
	}{
		{"object", oneRequired, `{"city":"Paris"}`, city},
		{"object with white space", oneRequired, "\n\t {\"city\": \"Paris\"}\n ", city},
		{"exact numbers", twoRequired, `{"a":12345678901234567890,"b":0.1}`, object{"a": json.Number("12345678901234567890"), "b": json.Number("0.1")}},
		{"nested", noParameters, `{"a":{"b":[1,null,{"c":"d"}]}}`, object{"a": object{"b": []any{json.Number("1"), nil, object{"c": "d"}}}}},
		{"last of two keys", oneRequired, `{"city":"Rome","city":"Paris"}`, city},
		{"unknown keys are the server's to judge", oneRequired, `{"city":"Paris","config":1,"callbacks":2}`, object{"city": "Paris", "config": json.Number("1"), "callbacks": json.Number("2")}},

		{"empty", noParameters, "", object{}},
		{"white space", noParameters, " \r\n\t", object{}},
		{"null", noParameters, "null", object{}},
		{"empty object", noParameters, "{}", object{}},
		{"empty string", noParameters, `""`, object{}},

		{"wrapped object text", twoRequired, `{"__arg1":"{\"a\":1,\"b\":2}"}`, object{"a": json.Number("1"), "b": json.Number("2")}},
		{"wrapped object", oneRequired, `{"__arg1":{"city":"Paris"}}`, city},
		{"wrapped text", oneRequired, `{"__arg1":"Paris"}`, city},
		{"wrapped text keeps its white space", oneRequired, `{"__arg1":"  Paris\n"}`, object{"city": "  Paris\n"}},
		{"wrapped fence", oneRequired, "{\"__arg1\":\"```json\\n{\\\"city\\\":\\\"Paris\\\"}\\n```\"}", city},
		{"wrapped nothing", noParameters, `{"__arg1":""}`, object{}},
		{"wrapped null", noParameters, `{"__arg1":null}`, object{}},
		{"wrapped number for a string", oneRequired, `{"__arg1":75001}`, object{"city": "75001"}},
		{"wrapped boolean for a string", oneRequired, `{"__arg1":true}`, object{"city": "true"}},
		{"wrapped twice", oneRequired, `{"__arg1":"{\"__arg1\":\"Paris\"}"}`, city},
		{"wrapper next to other keys is none", noParameters, `{"__arg1":"x","y":1}`, object{"__arg1": "x", "y": json.Number("1")}},
		{"parameter of the wrapper's name", ownArg1, `{"__arg1":"{\"n\":1}"}`, object{"__arg1": `{"n":1}`}},
		{"text for a parameter of the wrapper's name", ownArg1, `hello`, object{"__arg1": `hello`}},

		{"object in a string", oneRequired, `"{\"city\":\"Paris\"}"`, city},
		{"object in a string in a string", oneRequired, `"\"{\\\"city\\\":\\\"Paris\\\"}\""`, city},
		{"text in a string", oneRequired, `" Paris"`, object{"city": " Paris"}},

		{"json fence", oneRequired, "```json\n{\"city\":\"Paris\"}\n```", city},
		{"fence without language", oneRequired, "```\n{\"city\":\"Paris\"}\n```\n", city},
		{"fence on one line", oneRequired, "```JSON {\"city\":\"Paris\"} ```", city},
		{"fence that is not closed", oneRequired, "```json\n{\"city\":\"Paris\"}", city},
		{"fence in a value", oneRequired, "```json\n{\"city\":\"```\"}\n```", object{"city": "```"}},
		{"fence around a wrapper", oneRequired, "```json\n{\"__arg1\":\"Paris\"}\n```", city},
		{"fence of another language is text", oneRequired, "```python\nprint(1)\n```", object{"city": "```python\nprint(1)\n```"}},

		{"observation after an object", oneRequired, "{\"city\":\n\"Paris\"}\nObservation: sunny", city},
		{"observation on the same line", oneRequired, `{"city":"Paris"} Observation: sunny`, city},
		{"observation after a fence", oneRequired, "```json\n{\"city\":\"Paris\"}\n```\n\tObservation: sunny\nThought: done", city},
		{"observation after text", oneRequired, "Paris\nObservation: sunny", city},
		{"observation after nothing", noParameters, "\nObservation: done", object{}},
		{"observation at once", noParameters, "Observation: done", object{}},
		{"observation within a value", oneRequired, `{"city":"\nObservation: x"}`, object{"city": "\nObservation: x"}},
		{"observation within a line", oneRequired, "See Observation: x", object{"city": "See Observation: x"}},
		{"two observations", oneRequired, "See Observation: x\nObservation: y", object{"city": "See Observation: x"}},

		{"text", oneRequired, " New York \n", object{"city": "New York"}},
		{"text like a number", oneRequired, "75001", object{"city": "75001"}},
		{"text that begins like a number", oneRequired, "5th Avenue", object{"city": "5th Avenue"}},
		{"text that begins with a word of JSON", oneRequired, "true story", object{"city": "true story"}},
		{"text that begins with a quote", oneRequired, `"Paris" in Texas`, object{"city": `"Paris" in Texas`}},
		{"text that begins with a bracket", oneRequired, `[a](b)`, object{"city": `[a](b)`}},
		{"text that begins with two brackets", oneRequired, `[[a]] and b`, object{"city": `[[a]] and b`}},
		{"text that begins with a list", oneRequired, `[1] see below`, object{"city": `[1] see below`}},
		{"text for the only optional string", oneOptional, "/tmp", object{"path": "/tmp"}},
		{"text for a nullable string", `{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, "x", object{"q": "x"}},
		{"text for a referenced string", `{"type":"object","properties":{"q":{"$ref":"#/$defs/Q"}},"required":["q"],"$defs":{"Q":{"type":"string"}}}`, "x", object{"q": "x"}},
		{"text for an enum of strings", `{"type":"object","properties":{"q":{"enum":["x","y"]}},"required":["q"]}`, "x", object{"q": "x"}},
		{"text where the other required one has a default", `{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","default":5}},"required":["n","q"]}`, "x", object{"q": "x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := newEcho(t, test.schema, adapters.ToolOptions{})
			got, err := tool.Call(t.Context(), test.input)
			if err != nil {
				t.Fatal(err)
			}
			if !tool.called {
				t.Fatalf("not called: %s", got)
			}
			if diff := cmp.Diff(test.want, tool.args); diff != "" {
				t.Errorf("arguments (-want +got)\n%s", diff)
			}
			if got != "done" {
				t.Errorf("result %q", got)
			}
		})
	}
}

func TestCallInputRefused(t *testing.T) {
	const cityWanted = `Send a JSON object with "city" (string, required), "days" (integer).`
	tests := []struct {
		name, schema, input, want string
	}{
		{"text where two are required", twoRequired, "1 and 2",
			`it is no JSON object. Send a JSON object with "a" (number, required), "b" (number, required).` + "\nReceived: 1 and 2"},
		{"text where two are optional", twoOptional, "x",
			`it is no JSON object. Send a JSON object with "a" (string), "b" (string).` + "\nReceived: x"},
		{"text for an integer", oneInteger, "5", `it is no JSON object. Send a JSON object with "n" (integer, required).` + "\nReceived: 5"},
		{"text for anything", untypedString, "x", `it is no JSON object.`},
		{"text for a union", `{"type":"object","properties":{"q":{"type":"string"}},"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "x", `it is no JSON object.`},
		{"text for nobody", noParameters, "none", "it is no JSON object. Send a JSON object; the tool names no parameters, so {} will do.\nReceived: none"},
		{"wrapped text for nobody", noParameters, `{"__arg1":"none"}`, "it is no JSON object."},
		{"array", oneRequired, `["Paris"]`, "it is a JSON array. " + cityWanted + "\nReceived: [\"Paris\"]"},
		{"wrapped array", oneRequired, `{"__arg1":["Paris"]}`, "it is a JSON array."},
		{"brackets", oneRequired, `[[[[`, "it is no JSON object: it ends too early. " + cityWanted},
		{"wrapped brackets", oneRequired, `{"__arg1":"[[[["}`, "it is no JSON object: it ends too early. " + cityWanted},
		{"cut array", oneRequired, `["Paris", "Ro`, "it is no JSON object: it ends too early."},
		{"cut string", oneRequired, `"Par`, "it is no JSON object: it ends too early."},
		{"broken array", oneRequired, `["Paris",]`, "it is no JSON object: invalid character ']'"},
		{"broken array of objects", oneRequired, `[ {"city": Paris} ]`, "it is no JSON object: invalid character 'P'"},
		{"cut object", oneRequired, `{"city":"Paris"`, "it is no JSON object: it ends too early. " + cityWanted},
		{"broken object", oneRequired, `{city:"Paris"}`, "it is no JSON object: invalid character 'c' looking for beginning of object key string."},
		{"two objects", oneRequired, `{"city":"Paris"}{"city":"Rome"}`, "it is no JSON object: there is text after the JSON object."},
		{"prose after an object", oneRequired, `{"city":"Paris"} please`, "it is no JSON object: there is text after the JSON object."},
		{"broken object in a fence", oneRequired, "```json\n{\"city\":}\n```", "it is no JSON object: invalid character '}'"},
		{"prose after a fence", oneRequired, "```json\n{\"city\":\"x\"}\n``` please", "there is text after the JSON object."},
		{"wrappers without end", oneRequired, strings.Repeat(`{"__arg1":`, 10) + "{}" + strings.Repeat("}", 10), "__arg1 is nested too deeply."},
		{"strings without end", oneRequired, quotedTimes("x", 10), "it is a JSON string within a JSON string, and so on."},
		{"deep nesting", oneRequired, strings.Repeat(`{"city":`, 20000), "exceeded max depth"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := newEcho(t, test.schema, adapters.ToolOptions{})
			got, err := tool.Call(t.Context(), test.input)
			if err != nil {
				t.Fatal(err)
			}
			if tool.called {
				t.Errorf("called with %v", tool.args)
			}
			if !strings.HasPrefix(got, `Error: bad arguments for the tool "srv_get": `) || !strings.Contains(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func quotedTimes(s string, n int) string {
	for range n {
		s = strconv.Quote(s)
	}
	return s
}

func TestCallShowsLittleOfBadInput(t *testing.T) {
	tool := newEcho(t, twoRequired, adapters.ToolOptions{})
	got, err := tool.Call(t.Context(), strings.Repeat("é\x00", 5000))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 1000 || !strings.HasSuffix(got, "é...") && !strings.HasSuffix(got, "\uFFFD...") || strings.Contains(got, "\x00") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func FuzzCallInput(f *testing.F) {
	schemas := []string{noParameters, oneRequired, oneOptional, twoRequired, twoOptional, oneInteger, ownArg1, untypedString,
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#"},"b":{"items":{"$ref":"#/$defs/A"}}}}}}`,
		`{"anyOf":[{"type":"object","properties":{"x":{"type":["null","array"]}}},{"type":"null"}]}`, `true`, `[]`,
	}
	for i, input := range []string{
		``, `null`, `{"city":"Paris","days":1.0}`, `{"__arg1":"{\"a\":1,\"b\":2}"}`, "```json\n{\"path\":null}\n```", "x\nObservation: y",
		`"{\"n\":12345678901234567890}"`, `{"a":{"a":{"b":[{"a":null}]}}}`, "{", `[1]`, "\xff\x00", `{"x":1e999999999}`,
	} {
		f.Add(input, uint(i))
	}
	f.Fuzz(func(t *testing.T, input string, n uint) {
		schema := schemas[n%uint(len(schemas))]
		for _, check := range []adapters.ArgumentCheck{adapters.CheckCertain, adapters.CheckOff, adapters.CheckFull} {
			tool := newEcho(t, schema, adapters.ToolOptions{ArgumentCheck: check, CoerceArguments: check == adapters.CheckFull})
			got, err := tool.Call(t.Context(), input)
			if err != nil {
				t.Fatalf("schema %s: %v", schema, err)
			}
			if tool.called == strings.HasPrefix(got, "Error: bad arguments") {
				t.Errorf("schema %s: called is %v and the text %q", schema, tool.called, got)
			}
			if tool.called && tool.args == nil {
				t.Errorf("schema %s: nil arguments", schema)
			}
			if plain, ok := plainObject(input); ok && check == adapters.CheckOff {
				if !tool.called || len(tool.args) != len(plain) {
					t.Errorf("schema %s: an object became %v: %s", schema, tool.args, got)
				}
			}
		}
	})
}

// plainObject returns the JSON object that input is, unless it may be a wrapper.
func plainObject(input string) (object, bool) {
	var o object
	if json.Unmarshal([]byte(input), &o) != nil || o == nil {
		return nil, false
	}
	_, wrapper := o["__arg1"]
	return o, !wrapper
}
