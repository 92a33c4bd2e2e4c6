package adapters

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxPlainDepth bounds the nesting of a document in maps and lists. A schema
	// of maxDepth levels needs at most four a level.
	maxPlainDepth = 1024

	// maxPlainNodes bounds a document in all. What a server sends is bounded
	// by its message; this is for Go values that contain themselves.
	maxPlainNodes = 1 << 17
)

// plainSchema returns a copy of v as a tree of plain JSON values, or nil when v
// is not a JSON object.
func plainSchema(v any) map[string]any {
	c := plainCopier{left: maxPlainNodes}
	doc, _ := c.copy(v, 0).(map[string]any)
	return doc
}

// A plainCopier copies values until its budget is used up; what is beyond it, and
// what JSON cannot express, becomes nil.
type plainCopier struct{ left budget }

func (c *plainCopier) copy(v any, depth int) any {
	if depth > maxPlainDepth || !c.left.spend(1) {
		return nil
	}
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		if v == nil {
			return nil
		}
		m := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m[validUTF8(k)] = c.copy(v[k], depth+1)
		}
		return m
	case []any:
		if v == nil {
			return nil
		}
		s := make([]any, 0, min(len(v), int(c.left)))
		for _, e := range v {
			if c.left == 0 {
				break
			}
			s = append(s, c.copy(e, depth+1))
		}
		return s
	case string:
		return validUTF8(v)
	case bool:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case json.Number:
		return plainNumber(v)
	default:
		return c.copy(throughJSON(v), depth)
	}
}

// plainNumber returns n if it is a number as JSON writes it, and nil otherwise.
func plainNumber(n json.Number) any {
	var f json.Number
	if err := json.Unmarshal([]byte(n), &f); err != nil || f != n {
		return nil
	}
	return n
}

// throughJSON turns any other Go value into what its JSON is decoded to, or nil
// when it has none.
func throughJSON(v any) (decoded any) {
	if endless(reflect.ValueOf(v), 0, new(int)) {
		return nil
	}
	// A foreign MarshalJSON may panic, on a nil receiver for one.
	defer func() {
		if recover() != nil {
			decoded = nil
		}
	}()
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&decoded); err != nil {
		return nil
	}
	return decoded
}

// endless reports whether v is nested so deeply that it probably contains itself.
// encoding/json notices that only as long as no MarshalJSON is involved, as in
// *jsonschema.Schema, and overflows the stack otherwise.
func endless(v reflect.Value, depth int, visited *int) bool {
	if *visited++; depth > maxPlainDepth || *visited > maxPlainNodes {
		return true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && endless(v.Elem(), depth+1, visited)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if endless(it.Value(), depth+1, visited) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k < reflect.Array || k == reflect.String {
			return false // numbers, bytes, strings
		}
		for i := range v.Len() {
			if endless(v.Index(i), depth+1, visited) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if endless(v.Field(i), depth+1, visited) {
				return true
			}
		}
	}
	return false
}

// validUTF8 replaces what is not UTF-8: JSON would, and protocol buffers refuse
// it.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
