package adapters

import (
	"encoding/json"
	"math"
	"strings"
)

// A typeSet is a set of JSON types, "integer" apart from the other numbers.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction // a number that is no integer
	typeString
	typeArray
	typeObject

	typeNumber = typeInteger | typeFraction
	typeAny    = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

var typesByName = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// String returns the types as a reader of the schema would name them, without
// null: to a model it means the same as leaving the argument out.
func (s typeSet) String() string {
	if s&typeAny == typeAny {
		return "any"
	}
	var names []string
	for _, t := range []struct {
		set  typeSet
		name string
	}{
		{typeString, "string"}, {typeNumber, "number"}, {typeInteger, "integer"}, {typeFraction, "number"},
		{typeBoolean, "boolean"}, {typeArray, "array"}, {typeObject, "object"},
	} {
		if s&t.set == t.set {
			names = append(names, t.name)
			s &^= t.set
		}
	}
	if len(names) == 0 {
		return "null"
	}
	return strings.Join(names, " or ")
}

// typeOf returns the type of a decoded JSON value; an integer is a number with
// no fraction, however it is written (JSON Schema 2020-12, validation 6.1.1).
func typeOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case json.Number:
		f, err := v.Float64()
		if err != nil { // out of range: it may be either
			return typeNumber
		}
		if f == math.Trunc(f) {
			return typeInteger
		}
		return typeFraction
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	default:
		return typeAny
	}
}

// mayBecome reports whether servers are known to take v where their schema
// wants one of types, by reading a string as what it spells ("5", "[1, 2]",
// "yes") or a number as a truth value, as Python's servers do. Such a value is
// not certainly a mistake.
func mayBecome(v any, types typeSet) bool {
	switch v := v.(type) {
	case json.Number:
		return types&typeBoolean != 0 && (v == "0" || v == "1")
	case string:
		if types&typeBoolean != 0 && truthWord(v) {
			return true
		}
		spelled, rest, err := decodeFirst(strings.TrimSpace(v))
		return err == nil && rest == "" && typeOf(spelled)&types != 0
	default:
		return false
	}
}

func truthWord(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0":
		return true
	}
	return false
}
