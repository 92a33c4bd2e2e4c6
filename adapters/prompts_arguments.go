package adapters

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// CheckPromptArguments returns nil if the arguments are those that the prompt
// declares, or else an [*Error] of kind [ErrBadArguments] that names each one
// that is unknown and each one that is required but missing.
func CheckPromptArguments(prompt *mcp.Prompt, arguments map[string]string) error {
	if prompt == nil {
		return &Error{Kind: ErrBadArguments, Err: errors.New("there is no prompt")}
	}
	var known []string
	var problems []string
	for _, a := range prompt.Arguments {
		if a == nil {
			continue
		}
		known = append(known, quoted(a.Name))
		if _, ok := arguments[a.Name]; !ok && a.Required {
			problems = append(problems, quoted(a.Name)+" is required but missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(known, quoted(name)) {
			problems = append(problems, quoted(name)+" is unknown")
		}
	}
	if problems == nil {
		return nil
	}
	has := "it has no arguments"
	if known != nil {
		has = "its arguments are " + strings.Join(known, ", ")
	}
	return &Error{Kind: ErrBadArguments, Err: fmt.Errorf("prompt %s: %s; %s", quoted(prompt.Name), strings.Join(problems, ", "), has)}
}
