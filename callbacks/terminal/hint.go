package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// hint tells in a few words what a field takes.
func hint(f elicitation.Field) string {
	var parts []string
	if f.Required {
		parts = append(parts, "required")
	} else {
		parts = append(parts, "optional")
	}
	switch f.Kind {
	case elicitation.String:
		switch f.Format {
		case "":
		case "email":
			parts = append(parts, "an e-mail address")
		case "uri":
			parts = append(parts, "a full URI, such as https://example.com")
		case "date":
			parts = append(parts, "a date, such as 2006-01-31")
		case "date-time":
			parts = append(parts, "a date and time, such as 2006-01-31T15:04:05Z")
		default:
			parts = append(parts, "format "+clean(f.Format, maxLogger))
		}
		parts = append(parts, between(wholes(f.MinLength), wholes(f.MaxLength), " characters")...)
		if f.Pattern != "" {
			parts = append(parts, "pattern "+clean(f.Pattern, maxTitle))
		}
	case elicitation.Number:
		parts = append(parts, "a number")
		parts = append(parts, between(f.Minimum, f.Maximum, "")...)
	case elicitation.Integer:
		parts = append(parts, "a whole number")
		parts = append(parts, between(f.Minimum, f.Maximum, "")...)
	case elicitation.MultipleChoice:
		parts = append(parts, between(wholes(f.MinItems), wholes(f.MaxItems), " of them")...)
	}
	return strings.Join(parts, ", ")
}

func wholes(n *int) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func between(lower, upper *float64, unit string) []string {
	f := func(n *float64) string { return strconv.FormatFloat(*n, 'g', 10, 64) }
	switch {
	case lower != nil && upper != nil:
		return []string{fmt.Sprintf("%s to %s%s", f(lower), f(upper), unit)}
	case lower != nil:
		return []string{"at least " + f(lower) + singular(unit, *lower)}
	case upper != nil:
		return []string{"at most " + f(upper) + singular(unit, *upper)}
	}
	return nil
}

func singular(unit string, n float64) string {
	if n == 1 {
		return strings.TrimSuffix(unit, "s")
	}
	return unit
}
