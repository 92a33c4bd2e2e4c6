package adapters

import (
	"fmt"
	"strings"
)

// Bounds on what a model is told of a foreign schema.
const (
	maxListed      = 40
	maxListedEnum  = 8
	maxListedValue = 40
)

// expectation tells a model what to send.
func (p *parameters) expectation() string {
	if len(p.list) == 0 {
		if p.open {
			return "Send a JSON object"
		}
		return "Send a JSON object; the tool names no parameters, so {} will do"
	}
	listed := make([]string, 0, min(len(p.list), maxListed)+1)
	for i, param := range p.list {
		if i == maxListed {
			listed = append(listed, fmt.Sprintf("and %d more", len(p.list)-maxListed))
			break
		}
		listed = append(listed, param.String())
	}
	return "Send a JSON object with " + strings.Join(listed, ", ")
}

// String returns `"unit" (string, "C" or "F", required)`.
func (param parameter) String() string {
	details := []string{param.types.String()}
	if values := param.listedValues(); values != "" {
		details = append(details, values)
	}
	if param.required {
		details = append(details, "required")
	}
	return quoted(param.name) + " (" + strings.Join(details, ", ") + ")"
}

func (param parameter) listedValues() string {
	if len(param.values) > maxListedEnum {
		return ""
	}
	values := make([]string, 0, len(param.values))
	for _, v := range param.values {
		value := compactJSON(v)
		if len(value) > maxListedValue {
			return ""
		}
		values = append(values, value)
	}
	return strings.Join(values, " or ")
}
