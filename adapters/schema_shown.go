package adapters

// A shownSchema is the schema that a model is shown of a tool, and what has to be
// undone in the arguments that it writes by it.
type shownSchema struct {
	schema map[string]any
	omit   *omission // nil unless the schema is strict
	spells *spelling // nil unless strings stand for values of other types
}

func showSchema(schema any, profile SchemaProfile) shownSchema {
	switch rules := rulesFor(profile); {
	case profile == SchemaOpenAIStrict:
		strict, omit := strictSchema(schema)
		return shownSchema{schema: strict, omit: omit}
	case profile != SchemaRaw && rules.noUnions:
		portable, spells := normalizeSpelled(plainSchema(schema), rules, &spelling{})
		return shownSchema{schema: portable, spells: spells}
	default:
		return shownSchema{schema: NormalizeSchema(schema, profile)}
	}
}

// PortableArguments changes arguments that a model wrote by the [SchemaPortable]
// form of a schema to what the schema says: a string that holds the JSON of a
// value of another type becomes that value. [Tool.Call] does it by itself; this is
// for those who make the call by other means, with [Tool.Invoke] for one.
// Arguments that were not written so stay as they are.
func PortableArguments(schema any, arguments map[string]any) {
	showSchema(schema, SchemaPortable).undo(arguments)
}

// undo changes arguments to what the server's schema says.
func (s shownSchema) undo(arguments map[string]any) {
	if s.omit != nil {
		s.omit.drop(arguments)
	}
	s.spells.read(arguments)
}
