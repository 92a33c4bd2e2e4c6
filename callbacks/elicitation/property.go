package elicitation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// readProperty reads the schema of one property. Its errors complete "the
// field ...".
func readProperty(name string, raw json.RawMessage) (Field, error) {
	members, _, err := readObject(raw)
	if err != nil {
		return Field{}, fmt.Errorf("is not described by an object: %w", err)
	}
	kind, members, err := typeOf(members)
	if err != nil {
		return Field{}, err
	}
	r := reader{members: members}
	f := Field{Name: name, Title: r.text("title"), Description: r.text("description")}
	if f.Title == "" {
		f.Title = name
	}
	switch choices := choiceKeyword(members); {
	case kind == "array":
		f.Kind = MultipleChoice
		f.MinItems, f.MaxItems = r.count("minItems"), r.count("maxItems")
		f.Choices = r.items()
	case kind == "string" && choices != "", kind == "" && choices != "":
		f.Kind = SingleChoice
		f.Choices = r.choices(choices)
	case kind == "string":
		f.Kind = String
		f.MinLength, f.MaxLength = r.count("minLength"), r.count("maxLength")
		f.Format, f.Pattern = r.text("format"), r.text("pattern")
		if _, err := compilePattern(f.Pattern); err != nil {
			r.fail(err)
		}
	case choices != "":
		r.fail(fmt.Errorf("offers choices of type %s: choices are strings", quote(kind)))
	case kind == "number", kind == "integer":
		f.Kind = Kind(kind)
		f.Minimum, f.Maximum = r.number("minimum"), r.number("maximum")
	case kind == "boolean":
		f.Kind = Boolean
	case kind == "":
		r.fail(errors.New("has no type"))
	default:
		r.fail(fmt.Errorf("is of type %s: a form asks for strings, numbers, integers, booleans and arrays of choices", quote(kind)))
	}
	if r.err == nil {
		r.err = contradiction(f)
	}
	if r.err != nil {
		return Field{}, r.err
	}
	f.Default = defaultOf(f, members["default"])
	return f, nil
}

// typeOf sees through the ways in which generators say "or null": an answer
// that is null is the same as none.
func typeOf(members map[string]json.RawMessage) (string, map[string]json.RawMessage, error) {
	if inner := nonNull(members["anyOf"]); inner != nil {
		merged := make(map[string]json.RawMessage, len(members)+len(inner))
		maps.Copy(merged, inner)
		for k, v := range members {
			if k != "anyOf" {
				merged[k] = v
			}
		}
		members = merged
	}
	raw, ok := members["type"]
	if !ok {
		return "", members, nil
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil {
		names = make([]string, 1)
		if err := json.Unmarshal(raw, &names[0]); err != nil {
			return "", nil, errors.New("has a type that is not a string")
		}
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == "null" })
	if len(names) != 1 {
		return "", nil, fmt.Errorf("may be of %d types: a form needs exactly one", len(names))
	}
	return names[0], members, nil
}

// nonNull returns X of anyOf: [X, {"type": "null"}], nil for any other list.
func nonNull(raw json.RawMessage) map[string]json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) != 2 {
		return nil
	}
	var found map[string]json.RawMessage
	null := false
	for _, entry := range list {
		members, _, err := readObject(entry)
		if err != nil {
			return nil
		}
		if string(members["type"]) == `"null"` {
			null = true
		} else {
			found = members
		}
	}
	if !null {
		return nil
	}
	return found
}

func choiceKeyword(members map[string]json.RawMessage) string {
	for _, key := range []string{"enum", "oneOf", "anyOf"} {
		if _, ok := members[key]; ok {
			return key
		}
	}
	return ""
}

func contradiction(f Field) error {
	switch {
	case f.MinLength != nil && f.MaxLength != nil && *f.MinLength > *f.MaxLength:
		return fmt.Errorf("has minLength %d above maxLength %d", *f.MinLength, *f.MaxLength)
	case f.Minimum != nil && f.Maximum != nil && *f.Minimum > *f.Maximum:
		return fmt.Errorf("has minimum %v above maximum %v", *f.Minimum, *f.Maximum)
	case f.MinItems != nil && f.MaxItems != nil && *f.MinItems > *f.MaxItems:
		return fmt.Errorf("has minItems %d above maxItems %d", *f.MinItems, *f.MaxItems)
	case f.Kind == MultipleChoice && f.MinItems != nil && *f.MinItems > len(f.Choices):
		return fmt.Errorf("has minItems %d but only %d choices", *f.MinItems, len(f.Choices))
	}
	return nil
}

func defaultOf(f Field, raw json.RawMessage) any {
	var v any
	if raw == nil || json.Unmarshal(raw, &v) != nil || v == nil {
		return nil
	}
	if f.Kind == Integer {
		// float64 cannot hold every int64
		var n int64
		if json.Unmarshal(raw, &n) == nil {
			v = n
		}
	}
	v, problem := check(f, v)
	if problem != "" {
		return nil
	}
	return v
}

// reader reads keywords of one property and keeps the first error.
type reader struct {
	members map[string]json.RawMessage
	err     error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) text(key string) string {
	raw, ok := r.members[key]
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		r.fail(fmt.Errorf("has a %s that is not a string", key))
	}
	return s
}

func (r *reader) number(key string) *float64 {
	raw, ok := r.members[key]
	if !ok {
		return nil
	}
	var n *float64
	if err := json.Unmarshal(raw, &n); err != nil {
		r.fail(fmt.Errorf("has a %s that is not a number", key))
	}
	return n
}

func (r *reader) count(key string) *int {
	n := r.number(key)
	if n == nil {
		return nil
	}
	if *n < 0 || *n != math.Trunc(*n) || *n > math.MaxInt32 {
		r.fail(fmt.Errorf("has a %s that is not a whole number from 0 to %d", key, math.MaxInt32))
		return nil
	}
	i := int(*n)
	return &i
}
