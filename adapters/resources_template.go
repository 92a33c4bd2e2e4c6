package adapters

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"
)

// ExpandTemplate returns the URI that a resource template (RFC 6570) stands for
// with the values: strings, lists ([]string) and maps (map[string]string) of
// them. Values are escaped as the RFC says.
//
// A template that is none, a value that it has no variable for, a variable
// without a value unless it is one of a query ({?x}, {&x}) or of parameters
// ({;x}), and a value of another type are an [*Error] of kind
// [ErrBadArguments] that names them.
func ExpandTemplate(template string, values map[string]any) (string, error) {
	fail := func(problems ...string) (string, error) {
		return "", &Error{Kind: ErrBadArguments, Err: fmt.Errorf("resource template %s: %s", quoted(template), strings.Join(problems, ", "))}
	}
	parsed, err := uritemplate.New(template)
	if err != nil {
		return fail(oneLine(err.Error()))
	}
	variables := parsed.Varnames()
	optional := optionalVariables(template)
	var problems []string
	given := uritemplate.Values{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := templateValue(values[name])
		switch {
		case !slices.Contains(variables, name):
			problems = append(problems, quoted(name)+" is unknown")
		case err != nil:
			problems = append(problems, quoted(name)+" "+err.Error())
		default:
			given.Set(name, value)
		}
	}
	for _, name := range variables {
		if _, ok := values[name]; !ok && !optional[name] {
			problems = append(problems, quoted(name)+" is missing")
		}
	}
	if problems != nil {
		return fail(problems...)
	}
	uri, err := parsed.Expand(given)
	if err != nil {
		return fail(oneLine(err.Error()))
	}
	return uri, nil
}

func templateValue(v any) (uritemplate.Value, error) {
	switch v := v.(type) {
	case string:
		return uritemplate.String(v), nil
	case []string:
		return uritemplate.List(v...), nil
	case map[string]string:
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, key, v[key])
		}
		return uritemplate.KV(pairs...), nil
	}
	return uritemplate.Value{}, errors.New("is no string, list or map of strings")
}

var optionalExpression = regexp.MustCompile(`\{[?&;]([^}]*)\}`)

// optionalVariables returns those that a URI may be without.
func optionalVariables(template string) map[string]bool {
	optional := map[string]bool{}
	for _, match := range optionalExpression.FindAllStringSubmatch(template, -1) {
		for _, spec := range strings.Split(match[1], ",") {
			name, _, _ := strings.Cut(strings.TrimSuffix(spec, "*"), ":")
			optional[name] = true
		}
	}
	return optional
}
