package adapters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// wrapperKey is the only property of the schema that langchaingo's
// OpenAIFunctionsAgent offers a model, whatever the tool.
const wrapperKey = "__arg1"

// maxWrapping bounds wrappers within wrappers and strings within strings, of
// which a wrapper with a string is two.
const maxWrapping = 6

// readInput returns the arguments that an agent's input to a tool stands for,
// never nil; [Tool.Call] says which forms are read. Numbers are json.Number. An
// error says, to a model, what is wrong with the input.
func readInput(input string, p *parameters) (map[string]any, error) {
	return inputReader{p}.text(strings.TrimSpace(cutObservation(input)), 0)
}

type inputReader struct{ p *parameters }

// text reads what is either JSON, JSON in a Markdown fence, or plain text.
func (r inputReader) text(s string, depth int) (map[string]any, error) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return map[string]any{}, nil
	}
	value, rest, err := decodeFirst(trimmed)
	_, isObject := value.(map[string]any)
	if err == nil && (rest == "" || isObject && strings.HasPrefix(rest, observation)) {
		return r.value(value, trimmed, depth)
	}
	if body, ok := fenced(trimmed); ok {
		value, rest, err = decodeFirst(body)
		if object, ok := value.(map[string]any); ok && err == nil && (rest == "" || rest == fence) {
			return r.object(object, depth)
		}
		trimmed = body
	}
	if strings.HasPrefix(trimmed, "{") || err != nil && brokenJSON(trimmed, err) {
		if err == nil {
			err = errors.New("there is text after the JSON object")
		}
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	return r.bare(s)
}

// value reads a JSON value that was written as raw.
func (r inputReader) value(v any, raw string, depth int) (map[string]any, error) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return r.object(v, depth)
	case string:
		if depth == maxWrapping {
			return nil, errors.New("it is a JSON string within a JSON string, and so on")
		}
		return r.text(v, depth+1)
	case []any:
		return nil, errors.New("it is a JSON array")
	default:
		return r.bare(raw)
	}
}

// object unwraps what langchaingo's functions agent has models send, unless the
// tool does have a parameter of that name.
func (r inputReader) object(o map[string]any, depth int) (map[string]any, error) {
	wrapped, ok := o[wrapperKey]
	if !ok || len(o) > 1 || r.p.has(wrapperKey) {
		return o, nil
	}
	if depth == maxWrapping {
		return nil, errors.New(wrapperKey + " is nested too deeply")
	}
	raw := ""
	if scalar := typeOf(wrapped); scalar&(typeNumber|typeBoolean) != 0 {
		raw = fmt.Sprint(wrapped)
	}
	return r.value(wrapped, raw, depth+1)
}

// bare reads text that names no parameter.
func (r inputReader) bare(s string) (map[string]any, error) {
	name, ok := r.p.sole()
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return map[string]any{name: s}, nil
}

var errEndsEarly = errors.New("it ends too early")

// brokenJSON reports whether text that does not decode was meant as JSON and not
// as the text that a tool takes: an array or a string that was cut off, and an
// array of strings or objects with a fault in it. What was cut off must not
// run: half a command is another command. Links ([a](b), [[a]]) and text that
// begins with a quotation are text.
func brokenJSON(text string, err error) bool {
	switch {
	case strings.HasPrefix(text, `"`):
		return errors.Is(err, errEndsEarly)
	case strings.HasPrefix(text, "["):
		first := strings.TrimLeft(text, "[ \t\r\n")
		return errors.Is(err, errEndsEarly) || strings.HasPrefix(first, `"`) || strings.HasPrefix(first, "{")
	}
	return false
}

const observation = "Observation:"

// cutObservation cuts s before the first line that begins with "Observation:".
// Text agents let the model go on and guess what the tool will answer. JSON has
// no such line within it, for its strings hold no line breaks.
func cutObservation(s string) string {
	for at := 0; ; at += len(observation) {
		i := strings.Index(s[at:], observation)
		if i < 0 {
			return s
		}
		at += i
		before := strings.TrimRight(s[:at], " \t")
		if before == "" || strings.HasSuffix(before, "\n") {
			return before
		}
	}
}

const fence = "```"

// fenced returns what follows the opening line of a Markdown code fence that
// claims to be JSON or begins like an object.
func fenced(s string) (string, bool) {
	body, ok := strings.CutPrefix(s, fence)
	if !ok {
		return "", false
	}
	body = strings.TrimLeftFunc(body, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	body = strings.TrimSpace(body)
	return body, strings.HasPrefix(body, "{")
}

// decodeFirst decodes the JSON value that s begins with and returns what comes
// after it, trimmed. s has no space at its beginning.
func decodeFirst(s string) (value any, rest string, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errEndsEarly
		}
		return nil, "", err
	}
	return value, strings.TrimSpace(s[dec.InputOffset():]), nil
}
