package elicitation

import (
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"
)

// Validate checks an answer against the fields. It accepts, besides the Go
// type of a field's [Kind], what decoding JSON yields: any number type and
// json.Number for Number and Integer (if whole), []any for MultipleChoice.
//
// The error wraps an [*Error] with one entry for each field that is missing
// though required, null, of the wrong type or outside its constraints, and for
// each key of content that is no field. It says nothing of the values.
func Validate(fields []Field, content map[string]any) error {
	var problems Error
	known := make(map[string]bool, len(fields))
	for _, f := range fields {
		known[f.Name] = true
		v, ok := content[f.Name]
		if !ok {
			if f.Required {
				problems.Fields = append(problems.Fields, FieldError{f.Name, "is required"})
			}
			continue
		}
		if _, problem := check(f, v); problem != "" {
			problems.Fields = append(problems.Fields, FieldError{f.Name, problem})
		}
	}
	var strangers []string
	for name := range content {
		if !known[name] {
			strangers = append(strangers, name)
		}
	}
	slices.Sort(strangers)
	for _, name := range strangers {
		problems.Fields = append(problems.Fields, FieldError{name, "is not a field of the form"})
	}
	if len(problems.Fields) > 0 {
		return fmt.Errorf("elicitation: answer: %w", &problems)
	}
	return nil
}

// check returns v in the Go type of the field's kind, or what is wrong.
func check(f Field, v any) (any, string) {
	if v == nil {
		return nil, "is null: leave it out instead"
	}
	switch f.Kind {
	case String:
		s, ok := v.(string)
		if !ok {
			return nil, "must be a text"
		}
		return s, checkText(f, s)
	case Number:
		n, ok := asFloat(v)
		if !ok {
			return nil, "must be a number"
		}
		return n, checkBounds(f, n)
	case Integer:
		n, ok := asInteger(v)
		if !ok {
			return nil, "must be a whole number"
		}
		return n, checkBounds(f, float64(n))
	case Boolean:
		b, ok := v.(bool)
		if !ok {
			return nil, "must be true or false"
		}
		return b, ""
	case SingleChoice:
		s, ok := v.(string)
		if !ok || !offers(f, s) {
			return nil, "must be one of " + quoteAll(values(f))
		}
		return s, ""
	case MultipleChoice:
		list, ok := asStrings(v)
		if !ok {
			return nil, "must be a list of choices"
		}
		return list, checkChosen(f, list)
	default:
		return nil, fmt.Sprintf("is of the unknown kind %s", quote(string(f.Kind)))
	}
}

func checkText(f Field, s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Sprintf("must have at least %s", plural(*f.MinLength, "character"))
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Sprintf("must have at most %s", plural(*f.MaxLength, "character"))
	}
	re, err := compilePattern(f.Pattern)
	if err != nil {
		return err.Error()
	}
	if re != nil && !re.MatchString(s) {
		return "must match the pattern " + quote(f.Pattern)
	}
	return checkFormat(f.Format, s)
}

func checkFormat(format, s string) string {
	switch format {
	case "email":
		// ParseAddress also takes "Ada <ada@example.com>"
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
			return "must be an e-mail address such as ada@example.com"
		}
	case "uri":
		if u, err := url.Parse(s); err != nil || !u.IsAbs() {
			return "must be a full URI such as https://example.com/page"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return "must be a date such as 2006-01-31"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			return "must be a date and time such as 2006-01-31T15:04:05Z"
		}
	}
	return ""
}

func checkBounds(f Field, n float64) string {
	switch {
	case f.Minimum != nil && n < *f.Minimum:
		return "must be at least " + formatNumber(*f.Minimum)
	case f.Maximum != nil && n > *f.Maximum:
		return "must be at most " + formatNumber(*f.Maximum)
	}
	return ""
}

func checkChosen(f Field, list []string) string {
	for i, s := range list {
		if !offers(f, s) {
			return "must hold only " + quoteAll(values(f))
		}
		if slices.Contains(list[:i], s) {
			return "holds " + quote(s) + " twice"
		}
	}
	switch {
	case f.MinItems != nil && len(list) < *f.MinItems:
		return fmt.Sprintf("must hold at least %s", plural(*f.MinItems, "choice"))
	case f.MaxItems != nil && len(list) > *f.MaxItems:
		return fmt.Sprintf("must hold at most %s", plural(*f.MaxItems, "choice"))
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func values(f Field) []string {
	list := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		list[i] = c.Value
	}
	return list
}

func offers(f Field, value string) bool {
	return slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == value })
}

func asStrings(v any) ([]string, bool) {
	switch v := v.(type) {
	case []string:
		return append([]string{}, v...), true
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, false
			}
			list[i] = s
		}
		return list, true
	}
	return nil, false
}

func asFloat(v any) (float64, bool) {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	var f float64
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		f = float64(r.Int())
	case r.CanUint():
		f = float64(r.Uint())
	case r.CanFloat():
		f = r.Float()
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

func asInteger(v any) (int64, bool) {
	if n, ok := v.(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return i, true
		}
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		return r.Int(), true
	}
	// from 2^63 on a float64 does not fit
	f, ok := asFloat(v)
	if !ok || f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}
