package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/huh/v2"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// noAnswer is the choice that leaves an optional field out.
const noAnswer = -1

// question is one field of a form and what the user has entered so far.
type question struct {
	field   elicitation.Field
	title   string
	choices []string // titles

	text   string // String, Number, Integer
	yes    bool   // Boolean that is required or has a default
	choice int    // SingleChoice, other Boolean: index, noAnswer
	chosen []int  // MultipleChoice
}

func newQuestion(f elicitation.Field) *question {
	q := &question{field: f, title: clean(f.Title, maxTitle), choices: choiceTitles(f)}
	switch v := f.Default.(type) {
	case string:
		if f.Kind == elicitation.SingleChoice {
			q.choice = indexOf(f, v)
		} else {
			// what is sent is what the user has seen
			q.text = clean(v, maxInput)
		}
	case int64:
		q.text = strconv.FormatInt(v, 10)
	case float64:
		q.text = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		q.yes = v
	case []string:
		for _, value := range v {
			q.chosen = append(q.chosen, indexOf(f, value))
		}
	default:
		if !f.Required {
			q.choice = noAnswer
		}
	}
	return q
}

func indexOf(f elicitation.Field, value string) int {
	return slices.IndexFunc(f.Choices, func(c elicitation.Choice) bool { return c.Value == value })
}

// page returns the input that fills q, on a terminal of this size.
func (q *question) page(width, height int) page {
	f := q.field
	width -= 4 // the frame
	title := fit(q.title, width, clamp(height/12, 1, 2))
	description := fit(hint(f), width, clamp(height/12, 1, 2))
	if f.Description != "" {
		description = fit(clean(f.Description, maxDescription), width, clamp(height/6, 1, 5)) + "\n" + description
	}
	header := 2 + strings.Count(title, "\n") + strings.Count(description, "\n")
	var field huh.Field
	lines := 0 // as many as it takes
	switch {
	case f.Kind == elicitation.SingleChoice, f.Kind == elicitation.Boolean && q.optionalBool():
		options := q.options()
		lines = header + min(len(options), maxShownChoices)
		field = huh.NewSelect[int]().Title(title).Description(description).Options(options...).Height(lines).Value(&q.choice)
	case f.Kind == elicitation.MultipleChoice:
		options := q.options()
		lines = header + min(len(options), maxShownChoices)
		field = huh.NewMultiSelect[int]().Title(title).Description(description).Options(options...).Height(lines).Value(&q.chosen).
			Validate(func([]int) error { return q.check() })
	case f.Kind == elicitation.Boolean:
		field = huh.NewConfirm().Title(title).Description(description).Value(&q.yes)
	default:
		field = huh.NewInput().Title(title).Description(description).CharLimit(maxInput).Value(&q.text).
			Validate(func(string) error { return q.check() })
	}
	return page{field, lines}
}

const maxShownChoices = 10

func (q *question) options() []huh.Option[int] {
	titles := q.choices
	if q.field.Kind == elicitation.Boolean {
		titles = []string{"Yes", "No"}
	}
	var options []huh.Option[int]
	if q.field.Kind != elicitation.MultipleChoice && !q.field.Required && q.field.Default == nil {
		options = append(options, huh.NewOption("(no answer)", noAnswer))
	}
	for i, title := range titles {
		options = append(options, huh.NewOption(title, i).Selected(slices.Contains(q.chosen, i)))
	}
	return options
}

func (q *question) optionalBool() bool {
	return !q.field.Required && q.field.Default == nil
}

// value returns what goes into the content, nil for no answer, or what is
// wrong with what was entered.
func (q *question) value() (any, string) {
	f := q.field
	switch {
	case f.Kind == elicitation.SingleChoice:
		if q.choice == noAnswer {
			return nil, ""
		}
		return f.Choices[q.choice].Value, ""
	case f.Kind == elicitation.MultipleChoice:
		list := []string{}
		for _, i := range q.chosen {
			list = append(list, f.Choices[i].Value)
		}
		problem := problemOf(elicitation.Validate([]elicitation.Field{f}, map[string]any{f.Name: list}))
		if problem != "" && len(list) == 0 && !f.Required {
			return nil, ""
		}
		return list, problem
	case f.Kind == elicitation.Boolean && q.optionalBool():
		if q.choice == noAnswer {
			return nil, ""
		}
		return q.choice == 0, ""
	case f.Kind == elicitation.Boolean:
		return q.yes, ""
	}
	v, err := elicitation.Parse(f, q.text)
	if v == nil && err == nil && f.Kind == elicitation.String && f.Default != nil &&
		elicitation.Validate([]elicitation.Field{f}, map[string]any{f.Name: ""}) == nil {
		// a default that was deleted is not wanted: left out, it would be
		// filled in again on the way
		return "", ""
	}
	return v, problemOf(err)
}

func (q *question) check() error {
	if _, problem := q.value(); problem != "" {
		return errors.New(problem)
	}
	return nil
}

func problemOf(err error) string {
	var e *elicitation.Error
	if errors.As(err, &e) {
		return e.Fields[0].Problem
	}
	return ""
}

// shown is the answer as it was entered, for the summary.
func (q *question) shown() string {
	switch v, _ := q.value(); v := v.(type) {
	case nil:
		return "—"
	case bool:
		if v {
			return "Yes"
		}
		return "No"
	case string:
		if q.field.Kind == elicitation.SingleChoice {
			return q.choices[q.choice]
		}
		return clean(v, maxTitle)
	case []string:
		if len(v) == 0 {
			return "none"
		}
		var chosen []string
		for _, i := range q.chosen {
			chosen = append(chosen, q.choices[i])
		}
		return strings.Join(chosen, ", ")
	default:
		return fmt.Sprint(v)
	}
}

// choiceTitles returns what to show for each choice. They are all different,
// even where the server's titles are not: one could not tell which is meant,
// and huh toggles all that are equal.
func choiceTitles(f elicitation.Field) []string {
	titles := make([]string, len(f.Choices))
	count := make(map[string]int)
	for i, c := range f.Choices {
		titles[i] = clean(c.Title, maxChoiceTitle)
		count[titles[i]]++
	}
	seen := make(map[string]bool)
	for i, c := range f.Choices {
		if count[titles[i]] > 1 {
			titles[i] += " (" + clean(c.Value, maxChoiceTitle) + ")"
		}
		if seen[titles[i]] {
			titles[i] += fmt.Sprintf(" #%d", i+1)
		}
		seen[titles[i]] = true
	}
	return titles
}
