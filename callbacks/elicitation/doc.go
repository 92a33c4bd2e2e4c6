// Package elicitation reads the schema of a form that an MCP server wants
// filled in, and checks the answer.
//
// A form for people, on whatever screen, is a loop over [FieldsOf]:
//
//	fields, err := elicitation.FieldsOf(cc, req.Params)
//	for _, f := range fields {
//		value, err := elicitation.Parse(f, ask(f.Title, f.Description, f.Choices))
//		...
//	}
//
// Where nobody can be asked, [Decline], [Cancel] and [AcceptDefaults] are
// ready answers for callbacks.Callbacks.OnElicitation.
//
// All kinds of fields of the MCP specification (2025-11-25 and 2026-07-28,
// client features, elicitation) are understood: text with length, pattern and
// format; numbers and integers with bounds; booleans; single choice as enum,
// as oneOf with titles, or as enum with the older enumNames; multiple choice
// as an array of those; defaults on each.
//
// A schema comes from a server and is not trusted: its size, the number of
// fields and choices, and patterns are bounded, and texts in errors are quoted
// so that no control character gets through. Texts in a [Field] are as the
// server sent them: clean them before they reach a terminal or a page.
//
// The package does no I/O and holds no state: all functions are safe for
// concurrent use.
package elicitation
