package elicitation

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Parse turns what a user typed into the value of a field, in the Go type of
// the field's [Kind]. The value is one that [Validate] accepts.
//
//   - Numbers are in decimal notation, "12", "-1.5" or "1e3".
//   - Booleans are "true", "yes", "y", "on" and "1", or "false", "no", "n",
//     "off" and "0", in any case.
//   - A choice is given by value or title, in any case if that leaves no doubt;
//     several are separated by commas.
//
// Empty text is no answer: the value is nil, without error, if the field is
// optional (leave it out of the content), and an error if it is required. The
// exception is a required MultipleChoice that may be empty. Space around the
// text does not count, except in a String without Format.
//
// The error wraps an [*Error] with one entry.
func Parse(field Field, text string) (any, error) {
	v, problem := parse(field, text)
	if problem != "" {
		return nil, fmt.Errorf("elicitation: answer: %w", &Error{Fields: []FieldError{{field.Name, problem}}})
	}
	return v, nil
}

func parse(f Field, text string) (any, string) {
	trimmed := strings.TrimSpace(text)
	if f.Kind == String && f.Format == "" {
		trimmed = text
	}
	if trimmed == "" {
		switch {
		case !f.Required:
			return nil, ""
		case f.Kind == MultipleChoice && (f.MinItems == nil || *f.MinItems == 0):
			return []string{}, ""
		default:
			return nil, "is required"
		}
	}
	var v any = trimmed
	switch f.Kind {
	case Number:
		n, ok := parseFloat(trimmed)
		if !ok {
			return nil, "must be a number"
		}
		v = n
	case Integer:
		n, ok := parseInt(trimmed)
		if !ok {
			return nil, "must be a whole number"
		}
		v = n
	case Boolean:
		b, ok := parseBool(trimmed)
		if !ok {
			return nil, `must be "yes" or "no"`
		}
		v = b
	case SingleChoice:
		s, ok := choose(f, trimmed)
		if !ok {
			return nil, "must be one of " + quoteAll(values(f))
		}
		v = s
	case MultipleChoice:
		list, ok := chooseSeveral(f, trimmed)
		if !ok {
			return nil, "must hold only " + quoteAll(values(f)) + ", separated by commas"
		}
		v = list
	}
	return check(f, v)
}

func parseFloat(s string) (float64, bool) {
	// ParseFloat also takes "0x1p-2", "inf" and "nan".
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func parseInt(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	// "1e3" and "5.0" are whole numbers too, exact up to 2^53
	f, ok := parseFloat(s)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "y", "on", "1":
		return true, true
	case "false", "no", "n", "off", "0":
		return false, true
	}
	return false, false
}

// choose finds the choice that text means: its value, else its title, else
// either without regard to case if only one fits.
func choose(f Field, text string) (string, bool) {
	if offers(f, text) {
		return text, true
	}
	for _, same := range []func(c Choice) bool{
		func(c Choice) bool { return c.Title == text || strings.TrimSpace(c.Title) == text },
		func(c Choice) bool {
			return strings.EqualFold(strings.TrimSpace(c.Value), text) || strings.EqualFold(strings.TrimSpace(c.Title), text)
		},
	} {
		found := 0
		var value string
		for _, c := range f.Choices {
			if same(c) {
				found++
				value = c.Value
			}
		}
		if found > 0 {
			return value, found == 1
		}
	}
	return "", false
}

// chooseSeveral takes the longest run of comma-separated parts that is a
// choice, since values and titles may hold commas themselves.
func chooseSeveral(f Field, text string) ([]string, bool) {
	longest := 1
	for _, c := range f.Choices {
		longest = max(longest, 1+strings.Count(c.Value, ","), 1+strings.Count(c.Title, ","))
	}
	parts := strings.Split(text, ",")
	var list []string
	chosen := make(map[string]bool)
	for i := 0; i < len(parts); {
		n := min(longest, len(parts)-i)
		value, ok := "", false
		for ; n > 0 && !ok; n-- {
			value, ok = choose(f, strings.TrimSpace(strings.Join(parts[i:i+n], ",")))
			if ok {
				i += n
			}
		}
		if !ok {
			return nil, false
		}
		if !chosen[value] {
			chosen[value] = true
			list = append(list, value)
		}
	}
	return list, true
}

func formatNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
