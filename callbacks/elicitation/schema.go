package elicitation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Bounds on what a server may ask for.
const (
	maxSchemaBytes = 256 << 10
	maxFields      = 128
	maxChoices     = 1000
)

// FieldsOf lists the fields that an elicitation asks for, in the order in which
// the server wrote them, given what callbacks.Callbacks.OnElicitation is given.
// It is [Fields] of cc.RequestedSchema, and of params.RequestedSchema, whose
// order is lost, where that is nil. An elicitation in url mode has no fields.
func FieldsOf(cc callbacks.CallbackContext, params *mcp.ElicitParams) ([]Field, error) {
	if cc.RequestedSchema != nil {
		return Fields(cc.RequestedSchema)
	}
	return Fields(params.RequestedSchema)
}

// Fields lists the fields that a requested schema asks for.
//
// The fields are in the order in which the schema names them if schema is a
// json.RawMessage, a []byte, or a value whose JSON encoding keeps an order of
// its own (a *jsonschema.Schema with PropertyOrder). A map[string]any, which
// is what mcp.ElicitParams holds, has lost that order: then the required
// fields come first, in the order of "required", and the others follow in
// alphabetical order. [FieldsOf] knows better.
//
// A nil schema, JSON null and a schema without properties ask for nothing but
// consent: no fields and no error.
//
// The error wraps an [*Error] that names each property that is not one of the
// kinds of the specification (nested objects, arrays of anything but choices),
// contradicts itself, is there twice, or exceeds a bound: 256 KiB of schema, 128 fields, 1,000
// choices a field, 512 bytes of pattern. No fields are returned then, since a
// form with a part missing would not be what the server asked.
func Fields(schema any) ([]Field, error) {
	fields, err := readSchema(schema)
	if err != nil {
		return nil, fmt.Errorf("elicitation: requested schema: %w", err)
	}
	return fields, nil
}

func readSchema(schema any) ([]Field, *Error) {
	var raw []byte
	switch s := schema.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		raw = s
	case []byte:
		raw = s
	default:
		var err error
		if raw, err = json.Marshal(schema); err != nil {
			return nil, problem("is no JSON: %v", err)
		}
	}
	if len(raw) > maxSchemaBytes {
		return nil, problem("has %d bytes, more than %d", len(raw), maxSchemaBytes)
	}
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	root, _, err := readObject(raw)
	if err != nil {
		return nil, problem("is not a JSON object: %v", err)
	}
	if t, ok := root["type"]; ok {
		var name string
		if json.Unmarshal(t, &name) != nil || name != "object" {
			return nil, problem(`is not of type "object"`)
		}
	}
	required, perr := readRequired(root["required"])
	if perr != nil {
		return nil, perr
	}
	var properties map[string]json.RawMessage
	var order []string
	if p, ok := root["properties"]; ok && string(p) != "null" {
		if properties, order, err = readObject(p); err != nil {
			return nil, problem(`has "properties" that are not an object: %v`, err)
		}
	}
	if len(order) > maxFields {
		return nil, problem("asks for %d fields, more than %d", len(order), maxFields)
	}
	if _, unordered := schema.(map[string]any); unordered {
		order = requiredFirst(order, required)
	}

	var fields []Field
	var problems Error
	for _, name := range order {
		f, err := readProperty(name, properties[name])
		if err != nil {
			problems.Fields = append(problems.Fields, FieldError{Name: name, Problem: err.Error()})
			continue
		}
		f.Required = slices.Contains(required, name)
		fields = append(fields, f)
	}
	for _, name := range required {
		if _, ok := properties[name]; !ok {
			problems.Fields = append(problems.Fields, FieldError{Name: name, Problem: "is required but not described"})
		}
	}
	if len(problems.Fields) > 0 {
		return nil, &problems
	}
	return fields, nil
}

func readRequired(raw json.RawMessage) ([]string, *Error) {
	if raw == nil {
		return nil, nil
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, problem(`has a "required" that is not a list of strings`)
	}
	if len(names) > maxFields {
		return nil, problem("requires %d fields, more than %d", len(names), maxFields)
	}
	return names, nil
}

func requiredFirst(names, required []string) []string {
	order := make([]string, 0, len(names))
	for _, name := range required {
		if slices.Contains(names, name) && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	return order
}

// readObject exists because encoding/json loses the order of keys, matches
// them without regard to case, and lets the last of two equal ones win.
func readObject(raw []byte) (members map[string]json.RawMessage, order []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	switch t, err := dec.Token(); {
	case err != nil:
		return nil, nil, err
	case t != json.Delim('{'):
		return nil, nil, errors.New("it starts with another kind of value")
	}
	members = make(map[string]json.RawMessage)
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		key := t.(string) // the decoder admits nothing else here
		if _, twice := members[key]; twice {
			return nil, nil, fmt.Errorf("it has the key %s twice", quote(key))
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		members[key] = value
		order = append(order, key)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}
	if rest := strings.TrimSpace(string(raw[dec.InputOffset():])); rest != "" {
		return nil, nil, errors.New("something follows it")
	}
	return members, order, nil
}
