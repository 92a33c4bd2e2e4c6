package adapters

// A SchemaProfile says whom a tool's schema is shown to. See
// [NormalizeSchema] for what each does.
type SchemaProfile string

const (
	// SchemaPortable is for every provider at once: what it says is what
	// OpenAI, Anthropic and Gemini all accept, also through langchaingo's
	// converters. It is what the empty profile and an unknown one mean.
	SchemaPortable SchemaProfile = "portable"

	// SchemaRaw is the server's schema as it came.
	SchemaRaw SchemaProfile = "raw"

	// SchemaOpenAI is for OpenAI and for servers that speak its API.
	SchemaOpenAI SchemaProfile = "openai"

	// SchemaOpenAIStrict is for OpenAI's Structured Outputs, where a model cannot
	// but write arguments of the schema. A schema that cannot be strict is that
	// of SchemaOpenAI: see [StrictSchema].
	SchemaOpenAIStrict SchemaProfile = "openai-strict"

	// SchemaAnthropic is for Anthropic, also on Bedrock.
	SchemaAnthropic SchemaProfile = "anthropic"

	// SchemaGemini is for Google's Gemini, also on Vertex AI.
	SchemaGemini SchemaProfile = "gemini"
)

// NormalizeSchema returns the schema of a tool's arguments in a form that a
// model provider accepts. A provider refuses the whole request, with all its
// tools, when one schema breaks its rules.
//
// The schema is what [mcp.Tool.InputSchema] holds: usually a map[string]any,
// but a *jsonschema.Schema, a json.RawMessage, nil or anything else that
// encoding/json can write will do. It is neither changed nor shared.
//
// The result is never nil and is made of map[string]any, []any, string,
// float64, json.Number, bool and nil only; it belongs to the caller. It has
// "type": "object" and a "properties" map at the root. The same schema gives
// the same result, and a result given again is left as it is.
//
// For [SchemaRaw] the result is a copy of the schema when that is a JSON
// object, whatever it says, and the empty object schema otherwise. For every
// other profile:
//
//   - Local references ($ref to a JSON pointer, an anchor or an $id of the same
//     document) are replaced by what they refer to. Where a schema contains
//     itself, and where a reference leads nowhere or out of the document
//     (nothing is ever fetched), a permissive schema stands in and its
//     description says so. Definitions are dropped.
//   - null is taken out of optional properties, where leaving them out says the
//     same. Elsewhere it is kept for OpenAI and Anthropic (as a type) and for
//     Gemini (as "nullable"), and told in the description otherwise.
//   - allOf is merged, with the properties of all parts, even where one of them
//     admits no others. A union (anyOf, oneOf, a list of types) is kept below the
//     root for OpenAI, Anthropic and Gemini, for the latter as anyOf with nothing
//     beside it. For [SchemaPortable] it is widened: objects into one object with
//     the properties of all, values of several types into a string that holds
//     them as JSON, which [Tool.Call] and [PortableArguments] read; the description
//     lists the alternatives. [BindTools] keeps it there too for the packages of langchaingo
//     that send it.
//   - Tuples become arrays of the union of their items. Arrays have items,
//     objects have properties, enum is never empty, const is enum, required lists
//     existing properties.
//   - Keywords that the provider does not know are put into words in the
//     description if a model can act on them, and dropped otherwise. Conditions
//     (not, if, dependentSchemas) are dropped: of these remain the properties that
//     they name.
//   - Names of properties are the server's own: a property called "type" or
//     "$ref" is a property. Only names that a provider refuses on the root are listed in
//     the description of the root instead: for [SchemaAnthropic] those outside of
//     [a-zA-Z0-9_.-]{1,64}, for [SchemaGemini] and [SchemaPortable] those outside
//     of [a-zA-Z_][a-zA-Z0-9_]{0,63}; these two leave names that are keywords of
//     JSON Schema ("$ref", "$schema") where they are.
//   - Schemas nested deeper than 64 levels and those that would grow beyond
//     about 8,000 nodes or half a megabyte of text are cut, permissively.
//
// It takes about a tenth of a millisecond for a usual schema. It is safe for
// concurrent use.
func NormalizeSchema(schema any, profile SchemaProfile) map[string]any {
	switch profile {
	case SchemaRaw:
		if doc := plainSchema(schema); doc != nil {
			return doc
		}
		return emptyObjectSchema()
	case SchemaOpenAIStrict:
		result, _ := StrictSchema(schema)
		return result
	default:
		return normalize(plainSchema(schema), rulesFor(profile))
	}
}

func normalize(doc map[string]any, rules *schemaRules) map[string]any {
	out, _ := normalizeSpelled(doc, rules, nil)
	return out
}

// normalizeSpelled is normalize, and returns what strings of the result stand
// for, noted in spells.
func normalizeSpelled(doc map[string]any, rules *schemaRules, spells *spelling) (map[string]any, *spelling) {
	root, work := parseSchema(doc)
	e := &emitter{rules: rules, merger: merger{work}, left: maxEmitted, spells: spells}
	return e.root(root), spells.pruned()
}

// parseSchema reads a document and returns what is left of the work that may be
// done on it.
func parseSchema(doc map[string]any) (*node, *budget) {
	work := budget(maxWork)
	p := &parser{doc: doc, work: &work}
	return p.schema(doc, 0), &work
}

func emptyObjectSchema() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{}}
}

const (
	// maxDepth is how deep the schemas of a result nest.
	maxDepth = 64

	// maxEmitted bounds the result: each node, value and property costs one, and
	// so does every textUnit bytes of text. It is far above what real tools
	// have (some hundred nodes) and keeps a bomb of references small.
	maxEmitted = 1 << 13
	textUnit   = 64

	// maxWork bounds parsing and merging: nodes visited, properties merged.
	// It exceeds maxEmitted several times over, so that a result can always be
	// read again in full.
	maxWork = 1 << 15
)

// A budget counts down what may still be done.
type budget int

// spend takes n from the budget and reports whether it was there. A budget that
// could not pay once pays nothing any more, so that what is cut does not
// depend on the size of what comes later.
func (b *budget) spend(n int) bool {
	if int(*b) < n {
		*b = 0
		return false
	}
	*b -= budget(n)
	return true
}
