package adapters

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxNesting bounds the schemas that are being read at one time, one inside the
// other or referred to by the other.
const maxNesting = 512

// A parser reads a plain document into nodes. It errs on the side of allowing:
// what is malformed, unknown or out of budget restricts nothing.
type parser struct {
	doc   map[string]any
	work  *budget
	names map[string]any
	open  []uintptr // the schemas that are being read, the outermost first
}

// schema reads one schema. The depth is how many properties, items or
// alternatives it is below the root.
func (p *parser) schema(v any, depth int) *node {
	switch v := v.(type) {
	case bool:
		return &node{never: !v}
	case map[string]any:
		identity := reflect.ValueOf(v).Pointer()
		if depth >= maxDepth || len(p.open) >= maxNesting || !p.work.spend(1) || slices.Contains(p.open, identity) {
			n := shallow(v)
			n.description, _ = v["description"].(string)
			return n
		}
		p.open = append(p.open, identity)
		n := p.object(v, depth)
		p.open = p.open[:len(p.open)-1]
		return n
	default:
		return &node{}
	}
}

// shallow stands in for a schema that is not read: it says no more than its
// type.
func shallow(m map[string]any) *node {
	n := &node{types: namedTypes(m["type"]) &^ typeNull}
	if n.types == typeAny&^typeNull {
		n.types = 0
	}
	switch {
	case n.types != 0:
	case m["properties"] != nil:
		n.types = typeObject
	case m["items"] != nil:
		n.types = typeArray
	}
	return n
}

func (p *parser) object(m map[string]any, depth int) *node {
	n := &node{facets: readFacets(m)}
	n.title, _ = m["title"].(string)
	n.description, _ = m["description"].(string)
	n.readTypes(m["type"])
	p.readValues(n, m)
	p.readObject(n, m, depth)
	p.readArray(n, m, depth)
	n.infer()

	both := merger{p.work}
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := m[keyword].(string); ok {
			n = both.intersect(n, p.ref(ref, depth))
		}
	}
	for _, part := range anyList(m["allOf"]) {
		n = both.intersect(n, p.schema(part, depth))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := anyList(m[keyword]); len(list) > 0 {
			variants := make([]*node, len(list))
			for i, v := range list {
				variants[i] = p.schema(v, depth+1)
			}
			n = both.intersect(n, both.oneOf(variants))
		}
	}
	p.readConditions(n, m, depth)
	n.infer()
	n.trim()
	if m["nullable"] == true && !n.unconstrained() { // OpenAPI 3.0
		n.nullable = true
	}
	return n
}

// ref reads what a reference refers to.
func (p *parser) ref(ref string, depth int) *node {
	v, ok := p.target(ref)
	if !ok {
		n := &node{}
		if strings.HasPrefix(ref, "#") {
			n.note("Not described: the schema refers to " + quoteText(ref) + ", which it does not hold.")
		} else {
			n.note("Described elsewhere: " + quoteText(ref) + ".")
		}
		return n
	}
	m, ok := v.(map[string]any)
	if !ok || !slices.Contains(p.open, reflect.ValueOf(m).Pointer()) {
		return p.schema(v, depth)
	}
	n := shallow(m)
	if name := refName(ref); name != "" {
		n.note("The same again as " + quoteText(name) + ".")
	} else {
		n.note("The same again as the whole.")
	}
	return n
}

func (p *parser) readObject(n *node, m map[string]any, depth int) {
	if properties, ok := m["properties"].(map[string]any); ok {
		n.properties = make(map[string]*node, len(properties))
		for _, name := range sortedKeys(properties) {
			n.properties[name] = p.schema(properties[name], depth+1)
		}
	}
	var required []string
	for _, name := range anyList(m["required"]) {
		if s, ok := name.(string); ok && p.work.spend(1) {
			required = append(required, s)
		}
	}
	n.require(required...)
	var others []*node
	if patterns, ok := m["patternProperties"].(map[string]any); ok {
		for _, pattern := range sortedKeys(patterns) {
			other := p.schema(patterns[pattern], depth+1)
			if other.never {
				continue
			}
			others = append(others, other)
			n.note("Properties with names like " + quoteText(pattern) + ": " + describeNode(other) + ".")
		}
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch v := m[keyword].(type) {
		case bool:
			n.closed = n.closed || !v && others == nil
			n.open = n.open || v
		case map[string]any:
			others = append(others, p.schema(v, depth+1))
		}
	}
	if names, ok := m["propertyNames"].(map[string]any); ok {
		if v := p.schema(names, depth+1); v.enum != nil || v.facets != nil {
			n.note("Names of properties: " + strings.Join(append([]string{describeNode(v)}, v.facets.phrases()...), ", ") + ".")
		}
		// A schema for names with no place for any property is a generator's
		// mistake for a map.
		if len(n.properties) == 0 {
			n.closed = false
		}
	}
	if len(others) > 0 {
		n.additional = merger{p.work}.oneOf(others)
		n.closed = false
	}
}

func (p *parser) readArray(n *node, m map[string]any, depth int) {
	tuple := anyList(m["prefixItems"])
	rest, hasRest := m["items"]
	if list, ok := rest.([]any); ok { // draft 7 and before
		tuple = list
		rest, hasRest = m["additionalItems"]
	}
	var items []*node
	var names []string
	for _, e := range tuple {
		item := p.schema(e, depth+1)
		items = append(items, item)
		if len(names) < maxSamples {
			names = append(names, describeNode(item))
		}
	}
	if hasRest && rest != false && rest != nil {
		items = append(items, p.schema(rest, depth+1))
	}
	n.tuple = len(tuple) > 0
	if n.tuple {
		n.note("Items in this order: " + cutText(strings.Join(names, ", "), maxSentence) + ".")
	}
	if len(items) > 0 {
		n.items = merger{p.work}.oneOf(items)
	}
}

// readConditions reads the keywords that hold only under a condition. Of these
// remains which properties there may be.
func (p *parser) readConditions(n *node, m map[string]any, depth int) {
	switch not := m["not"].(type) {
	case bool:
		n.never = n.never || not
	case map[string]any:
		n.never = n.never || len(not) == 0
	}
	parts := []any{m["then"], m["else"]}
	if dependent, ok := m["dependentSchemas"].(map[string]any); ok {
		for _, name := range sortedKeys(dependent) {
			parts = append(parts, dependent[name])
		}
	}
	more := map[string]*node{}
	for _, part := range parts {
		if part == nil {
			continue
		}
		properties := p.schema(part, depth).properties
		for _, name := range sortedKeys(properties) {
			if n.properties[name] == nil && more[name] == nil && !properties[name].never && p.work.spend(1) {
				more[name] = properties[name]
			}
		}
	}
	if len(more) > 0 {
		maps.Copy(more, n.properties)
		n.properties, n.closed = more, false
	}
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
