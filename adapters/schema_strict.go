package adapters

import "slices"

// Limits of OpenAI on a strict schema (Structured Outputs, "Supported schemas").
// Levels are counted so that every reading of the rule is kept: each property,
// item and alternative is one deeper.
const (
	maxStrictDepth      = 10
	maxStrictProperties = 5000
	maxStrictValues     = 1000
	maxStrictText       = 120_000 // names of properties and values of enums together
	maxStrictEnumValues = 250     // an enum with more of them holds
	maxStrictEnumText   = 15_000  // this much text at most
)

var (
	// strictFacets are those that OpenAI lists for strict schemas; others are
	// "not permitted", and so is default.
	strictFacets = set("pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "minItems", "maxItems")

	strictRules = schemaRules{facets: strictFacets, formats: jsonFormats}
)

// StrictSchema is [NormalizeSchema] with [SchemaOpenAIStrict] and says whether
// the schema is a strict one: strict is what belongs in
// [llms.FunctionDefinition.Strict]. [Tool.Definition] has set it.
//
// With strict set, OpenAI's models cannot but write arguments of the schema. To
// that end all properties are required, the optional ones may be null for "not
// given", and there are no other properties. Whoever makes the call has to leave
// these nulls out again; [Tool.Call] does.
//
// A schema for which that would rule out calls that the server takes comes out
// as with [SchemaOpenAI], and strict is false. These are:
//
//   - objects that may have properties beyond those named: maps (with a schema in
//     additionalProperties, patternProperties, or true), objects that name no
//     property, and those that require one that they do not name;
//   - values of any type, and arrays of such: arrays without items, references
//     that lead nowhere or into a circle;
//   - a property that may be left out as well as be null and has no default,
//     since servers may take the one for "leave alone" and the other for
//     "remove";
//   - a union of objects that OpenAI could not tell apart by their first
//     property, and a lower bound for the number of properties;
//   - schemas beyond the limits of OpenAI: 10 levels, 5,000 properties, 1,000
//     values of enums, 120,000 bytes of names and values.
//
// Such a result has "minProperties" on the root, 0 if the server's schema has
// none, which restricts nothing and never is in a strict schema.
func StrictSchema(schema any) (result map[string]any, strict bool) {
	result, omit := strictSchema(schema)
	return result, omit != nil
}

// strictSchema also returns which nulls of the arguments stand for "not given",
// or nil for a schema that is not strict.
func strictSchema(schema any) (map[string]any, *omission) {
	doc := plainSchema(schema)
	root, work := parseSchema(doc)
	e := &strictEmitter{emitter: emitter{rules: &strictRules, merger: merger{work}, left: maxEmitted}}
	omit := &omission{}
	if out, ok := e.object(e.merger.arguments(root), omit, 1); ok && *work > 0 {
		return out, omit
	}
	out := normalize(doc, &openAIRules)
	if _, ok := out["minProperties"]; !ok {
		out["minProperties"] = 0.0 // so that it never passes for strict when it is read again
	}
	return out, nil
}

// A strictEmitter writes nodes as a strict schema. Each of its methods reports
// false when that cannot be done.
type strictEmitter struct {
	emitter
	properties, values, text int
}

// node writes what n allows, and null where it is optional.
func (e *strictEmitter) node(n *node, optional bool, omit *omission, depth int) (map[string]any, bool) {
	if depth > maxStrictDepth || n.never || !e.left.spend(1) || optional && n.nullable && !n.defaulted && !n.nullAbsent {
		return nil, false
	}
	if n.onlyNull() {
		return e.describe(map[string]any{"type": "null"}, n)
	}
	whole := []*node{n}
	if n.alternates != nil || len(typeList(n.types)) != 1 {
		if whole = e.merger.variants(n); len(whole) == 0 {
			return nil, false // anything is allowed
		}
	}
	if values := enumOf(whole); values != nil && len(whole) > 1 { // as they are read again
		told, all := *n, &node{}
		all.setEnum(values, e.merger.work)
		all.types = typesOf(all.enum)
		if n.alternates != nil { // each with texts of its own
			told.note(valueMeanings(whole))
		}
		told.alternates = nil
		n, whole = &told, splitTypes(all)
	}
	null := optional || n.nullable
	if len(whole) > 1 || null && whole[0].types&(typeObject|typeArray) != 0 {
		return e.union(n, whole, null, omit, depth)
	}
	c := n
	if whole[0] != n {
		c = mergeTexts(aboutWhole(n, whole), whole[0])
	}
	return e.one(c, null, omit, depth)
}

// union writes alternatives, of which null is the last.
func (e *strictEmitter) union(n *node, whole []*node, null bool, omit *omission, depth int) (map[string]any, bool) {
	var list []any
	for _, v := range whole {
		c := *v
		c.nullable = false
		// What the whole tells need not be told by each.
		if n.alternates == nil {
			c.title, c.description, c.notes = "", "", nil
		}
		c.defaulted = c.defaulted && !n.defaulted
		if n.examples != nil {
			c.examples = nil
		}
		s, ok := e.one(&c, false, omit.alternative(), depth+1)
		if !ok {
			return nil, false
		}
		if about, ok := s["description"].(string); ok && len(whole) == 1 {
			delete(s, "description")
			told := *n
			told.note(about)
			n = &told
		}
		list = append(list, s)
	}
	if depth == maxStrictDepth || !distinct(list) || !e.left.spend(len(list)) {
		return nil, false
	}
	if null {
		list = append(list, map[string]any{"type": "null"})
	}
	return e.describe(map[string]any{"anyOf": list}, n)
}

// distinct reports whether objects among alternatives differ in their first
// property, by its name or by its values. (OpenAI: "Objects provided via
// 'anyOf' must not share identical first keys".) First is the first by name,
// which is the order that encoding/json writes.
func distinct(list []any) bool {
	seen := map[string]map[string]bool{}
	for _, v := range list {
		properties, isObject := v.(map[string]any)["properties"].(map[string]any)
		if !isObject {
			continue
		}
		if len(properties) == 0 {
			return false
		}
		first := sortedKeys(properties)[0]
		values, known := seen[first]
		enum := anyList(properties[first].(map[string]any)["enum"])
		if known && (len(values) == 0 || len(enum) == 0) {
			return false
		}
		if !known {
			values = map[string]bool{}
			seen[first] = values
		}
		for _, value := range enum {
			if key := valueKey(value); values[key] {
				return false
			} else {
				values[key] = true
			}
		}
	}
	return true
}

// one writes a node of one type, whose level and price are accounted for.
func (e *strictEmitter) one(n *node, null bool, omit *omission, depth int) (map[string]any, bool) {
	switch t := n.types; {
	case t&typeObject != 0:
		return e.object(n, omit, depth)
	case t&typeArray != 0:
		return e.array(n, omit, depth)
	case len(typeList(t)) != 1:
		return nil, false
	default:
		out := map[string]any{"type": typeName(t)}
		if null {
			out["type"] = []any{typeName(t), "null"}
		}
		return e.scalars(out, n, null)
	}
}

func (e *strictEmitter) object(n *node, omit *omission, depth int) (map[string]any, bool) {
	if _, bounded := n.facets["minProperties"]; bounded || n.open || n.additional != nil && !n.additional.never ||
		len(n.properties) == 0 && !n.closed {
		return nil, false
	}
	properties := map[string]any{}
	required := []any{}
	for _, name := range sortedKeys(n.properties) {
		property := n.properties[name]
		if property.never {
			continue
		}
		e.properties++
		e.text += len(name)
		if e.properties > maxStrictProperties || e.text > maxStrictText || !e.left.spend(1+len(name)/textUnit) {
			return nil, false
		}
		optional := !slices.Contains(n.required, name)
		if optional && !property.nullable {
			c := *property
			c.note("Null leaves it out.")
			property = &c
		}
		s, ok := e.node(property, optional, omit.property(name, optional, property.nullable), depth+1)
		if !ok {
			return nil, false
		}
		omit.limit(name, anyList(s["enum"]))
		properties[name] = s
		required = append(required, name)
	}
	for _, name := range n.required {
		if properties[name] == nil {
			return nil, false
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return e.scalars(out, n, false)
}

func (e *strictEmitter) array(n *node, omit *omission, depth int) (map[string]any, bool) {
	if n.items == nil {
		return nil, false
	}
	items, ok := e.node(n.items, false, omit.element(), depth+1)
	if !ok {
		return nil, false
	}
	return e.scalars(map[string]any{"type": "array", "items": items}, n, false)
}

// scalars writes enum and facets, and the texts.
func (e *strictEmitter) scalars(out map[string]any, n *node, null bool) (map[string]any, bool) {
	c := *n
	if n.enum != nil {
		list, ok := e.value(n.enum)
		if !ok || !e.affordable(n.enum) {
			return nil, false
		}
		enum := list.([]any)
		if null {
			enum = append(enum, nil)
		}
		out["enum"] = enum
	}
	e.facets(out, &c)
	return e.describe(out, &c)
}

func (e *strictEmitter) affordable(enum []any) bool {
	text := 0
	for _, v := range enum {
		if s, ok := v.(string); ok {
			text += len(s)
		} else {
			text += len(valueKey(v))
		}
	}
	e.values += len(enum) + 1 // one for null
	e.text += text
	return e.values <= maxStrictValues && e.text <= maxStrictText && (len(enum) <= maxStrictEnumValues || text <= maxStrictEnumText)
}

// describe writes title and description, with what else is to be put in words.
func (e *strictEmitter) describe(out map[string]any, n *node) (map[string]any, bool) {
	c := *n
	if n.defaulted {
		c.note("Default: " + briefText(n.fallback) + ".")
	}
	if n.examples != nil {
		c.note("Examples: " + describeNode(&node{enum: n.examples}) + ".")
	}
	e.texts(out, &c)
	return out, e.left > 0
}
