package adapters

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A validator judges arguments by the whole of a server's schema. It is not
// changed after newValidator and safe for concurrent use.
type validator struct {
	doc      map[string]any // the schema as the judge reads it
	resolved *jsonschema.Resolved
	root     *node // the same for the explanation
}

// newValidator returns nil for a schema that cannot judge: one that is none, or
// that refers out of the document or to names other than JSON pointers.
func newValidator(schema any) *validator {
	plain := plainSchema(schema)
	doc, ok := judgeable(plain)
	if !ok {
		return nil
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return nil
	}
	var s jsonschema.Schema
	if json.Unmarshal(data, &s) != nil {
		return nil
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{}) // without a loader: nothing is fetched
	if err != nil {
		return nil
	}
	root, _ := parseSchema(plain)
	return &validator{doc, resolved, root}
}

// mistakes returns what is wrong with args, none if nothing is. Arguments that
// the schema would take too long to judge have no mistakes: the server will
// find them.
func (v *validator) mistakes(args map[string]any) []mistake {
	w := weigher{doc: v.doc, seen: map[visit]int{}}
	if w.weight(v.doc, weighed(args, 0)) > maxJudgement {
		return nil
	}
	err := v.resolved.Validate(counted(args))
	if err == nil {
		return nil
	}
	x := explainer{left: maxWork}
	x.value("", v.root, args, 0)
	if x.mistakes == nil {
		x.mistakes = []mistake{{text: "the arguments do not satisfy " + failedKeyword(err)}}
	}
	return x.mistakes
}

// counted returns a copy of v with Go's numbers, since jsonschema-go (v0.4.3)
// takes a json.Number for a string.
func counted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for name, e := range v {
			c[name] = counted(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = counted(e)
		}
		return c
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return u
		}
		f, _ := v.Float64() // in range: see weighed
		return f
	default:
		return v
	}
}

// failedKeyword returns the keyword of the schema that failed, which is what
// the last of jsonschema-go's messages begins with. The rest of it holds values.
func failedKeyword(err error) string {
	message, _, _ := strings.Cut(err.Error(), "\n")
	last := message
	for {
		_, after, more := strings.Cut(last, "validating ")
		if !more {
			break
		}
		_, last, _ = strings.Cut(after, ": ")
	}
	keyword := last[:max(0, strings.IndexAny(last, ":["))]
	if !judged[keyword] {
		return "the schema"
	}
	return quoted(keyword) + " in the schema"
}

// judged are the keywords that begin a message of jsonschema-go.
var judged = set("not", "oneOf", "anyOf", "contains", "minContains", "maxContains", "dependentRequired",
	"uniqueItems", "propertyNames", "multipleOf", "const", "enum", "required", "minProperties", "maxProperties")
