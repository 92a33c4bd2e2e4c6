package elicitation

// Kind says what a field asks for, and so how to ask and the Go type of its
// value.
type Kind string

const (
	String         Kind = "string"          // string
	Number         Kind = "number"          // float64
	Integer        Kind = "integer"         // int64
	Boolean        Kind = "boolean"         // bool
	SingleChoice   Kind = "single choice"   // string, the Value of one of Choices
	MultipleChoice Kind = "multiple choice" // []string, each the Value of one of Choices
)

// Field is one question of a form.
type Field struct {
	// Name is the key of the answer in the content. It may be any string.
	Name string
	// Title is what to show as the question: the title in the schema, or Name
	// when it has none.
	Title string
	// Description explains the question. It may be empty.
	Description string
	Kind        Kind
	// Required says that an answer without this field is not acceptable.
	Required bool
	// Default is the value to start from, of the Go type of Kind, or nil. It is
	// always a value that [Validate] accepts: a default that the schema itself
	// refuses is left out.
	Default any

	// MinLength and MaxLength bound a String, in Unicode code points. Nil means
	// unbounded.
	MinLength, MaxLength *int
	// Pattern is a regular expression (RE2, not anchored) that a String
	// matches. Empty means any.
	Pattern string
	// Format is the format of a String. "email", "uri", "date" and "date-time"
	// are checked, any other is only told.
	Format string

	// Minimum and Maximum bound a Number or an Integer, both inclusive. Nil
	// means unbounded.
	Minimum, Maximum *float64

	// Choices are the answers to choose from, in the order of the schema,
	// without repetition. They are never empty for SingleChoice and
	// MultipleChoice, and always empty for other kinds.
	Choices []Choice
	// MinItems and MaxItems bound how many Choices a MultipleChoice takes. Nil
	// means unbounded.
	MinItems, MaxItems *int
}

// Choice is one of the answers that a field offers.
type Choice struct {
	// Value is what goes into the content.
	Value string
	// Title is what to show: the title in the schema, or Value when it has
	// none.
	Title string
}

// Defaults returns the content that holds the default of every field that has
// one. It is never nil. The caller owns it.
func Defaults(fields []Field) map[string]any {
	content := make(map[string]any)
	for _, f := range fields {
		switch d := f.Default.(type) {
		case nil:
		case []string:
			content[f.Name] = append([]string{}, d...)
		default:
			content[f.Name] = d
		}
	}
	return content
}
