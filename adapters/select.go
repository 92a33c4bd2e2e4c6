package adapters

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// A ToolChange says how a tool is shown differently from what its server says.
// The zero value changes nothing.
type ToolChange struct {
	// Name is what agents and models call the tool. It has to match
	// ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$. Empty keeps the name.
	Name string

	// Description takes the place of the server's. Empty keeps it.
	Description string

	// Fixed are arguments that the model does not see and cannot set: they are
	// taken out of the schema that it is shown, and put into the arguments of
	// every call, where they replace whatever a model sent under their names. What
	// it sends under a name that differs only in case or in the signs between
	// words, and that the schema does not have ("apiKey" beside a fixed
	// "api_key"), is refused: there are servers that would take it for the same.
	//
	// A key is the name of an argument, or, if it begins with "/", a JSON
	// pointer to a property of an argument that is an object (RFC 6901:
	// "/options/api_key"). Values are what encoding/json can write; they are
	// copied as deeply as they consist of map[string]any and []any.
	Fixed map[string]any
}

// Validate returns nil, or an [*Error] of kind [ErrBadOption] that says what
// can be seen without the tool.
func (c ToolChange) Validate() error {
	var errs []error
	if _, legal := legalName(c.Name); c.Name != "" && (!legal || len(c.Name) > maxName) {
		errs = append(errs, fmt.Errorf("name %s does not match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$", quoted(c.Name)))
	}
	paths := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(c.Fixed)) {
		path, err := argumentPath(key)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(paths)) {
			if n := min(len(path), len(paths[other])); slices.Equal(path[:n], paths[other][:n]) {
				errs = append(errs, fmt.Errorf("fixed arguments %s and %s are the same, or one is inside the other", quoted(other), quoted(key)))
			}
		}
		paths[key] = path
	}
	if len(errs) > 0 {
		return &Error{Kind: ErrBadOption, Err: errors.Join(errs...)}
	}
	return nil
}

// Apply returns cfg with the change made, for [NewTool]. cfg.Tool is not
// changed but replaced by a copy. Interceptors see the server's own definition,
// and the arguments as they are sent.
//
// A fixed argument that the schema does not have, so that a misspelt one would
// leave the true one with the model, is an [*Error] of kind [ErrBadOption]; so
// is what Validate reports. A schema that has no properties at all takes any.
func (c ToolChange) Apply(cfg ToolConfig) (ToolConfig, error) {
	fail := func(err error) (ToolConfig, error) {
		server, tool := cfg.ServerName, ""
		if cfg.Tool != nil {
			tool = cfg.Tool.Name
		}
		return ToolConfig{}, &Error{Kind: ErrBadOption, Server: server, Tool: tool, Err: err}
	}
	if err := c.Validate(); err != nil {
		return fail(errors.Unwrap(err))
	}
	if cfg.Tool == nil || cfg.Handler == nil {
		return fail(errors.New("a ToolConfig needs a Tool and a Handler"))
	}
	original, next := cfg.Tool, cfg.Handler
	changed := cloneTool(original)
	if c.Description != "" {
		changed.Description = c.Description
	}
	if c.Name != "" {
		cfg.Name = c.Name
	}
	var fixed []fixedArgument
	if len(c.Fixed) > 0 {
		schema := NormalizeSchema(original.InputSchema, SchemaRaw)
		var missing []string
		for _, key := range slices.Sorted(maps.Keys(c.Fixed)) {
			path, _ := argumentPath(key) // Validate has looked.
			// Each on its own, since what is fixed too is declared all the same.
			_, beside := hideArgument(NormalizeSchema(original.InputSchema, SchemaRaw), path)
			if hidden, _ := hideArgument(schema, path); !hidden {
				missing = append(missing, quoted(key))
			}
			fixed = append(fixed, fixedArgument{path, cloneJSON(c.Fixed[key]), beside})
		}
		if missing != nil {
			return fail(fmt.Errorf("there is no argument %s to fix in the tool's schema", strings.Join(missing, ", ")))
		}
		changed.InputSchema = schema
	}
	cfg.Tool = changed
	cfg.Handler = func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		own := req.Clone()
		own.Tool = original
		for _, f := range fixed {
			if problem := f.impostor(own.Arguments); problem != "" {
				return errorResult(problem), nil
			}
		}
		for _, f := range fixed {
			if problem := f.put(own.Arguments); problem != "" {
				return errorResult(problem), nil
			}
		}
		return next(ctx, own)
	}
	return cfg, nil
}

func errorResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: errorText(text)}}}
}

// argumentPath returns the names that lead to an argument.
func argumentPath(key string) ([]string, error) {
	if !strings.HasPrefix(key, "/") {
		return []string{key}, nil
	}
	path := strings.Split(key[1:], "/")
	for i, token := range path {
		if rest := strings.NewReplacer("~0", "", "~1", "").Replace(token); strings.Contains(rest, "~") {
			return nil, fmt.Errorf("fixed argument %s is no JSON pointer: write ~ as ~0 and / as ~1", quoted(key))
		}
		path[i] = strings.NewReplacer("~0", "~", "~1", "/").Replace(token)
	}
	return path, nil
}

type fixedArgument struct {
	path   []string
	value  any
	beside []map[string]bool // the properties that the schema has at each name of path
}

// impostor returns, for a model, what is wrong with a name that a server might
// take for one of the path, or "".
func (f fixedArgument) impostor(args map[string]any) (problem string) {
	at := args
	for i, name := range f.path {
		wanted := spellingOf(name)
		for _, other := range slices.Sorted(maps.Keys(at)) {
			if other != name && !f.beside[i][other] && spellingOf(other) == wanted {
				return "there is no argument " + quoted(strings.Join(append(slices.Clone(f.path[:i]), other), "."))
			}
		}
		at, _ = at[name].(map[string]any)
	}
	return ""
}

// spellingOf returns the letters and digits of a name without their case, which
// is all that is left of it for some servers: Go's encoding/json looks at no
// case, Pydantic takes a field by its alias and by its name.
func spellingOf(name string) string {
	letters := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		least := r // of those that strings.EqualFold calls the same
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
	if letters == "" {
		return name
	}
	return letters
}

// put sets the argument in args, making the objects on the way that are
// missing. The problem says, to a model, what stands in the way.
func (f fixedArgument) put(args map[string]any) (problem string) {
	at := args
	for i, name := range f.path[:len(f.path)-1] {
		switch v := at[name].(type) {
		case map[string]any:
			if v == nil {
				v = map[string]any{}
				at[name] = v
			}
			at = v
		case nil:
			v1 := map[string]any{}
			at[name] = v1
			at = v1
		default:
			return fmt.Sprintf("the argument %s must be an object", quoted(strings.Join(f.path[:i+1], ".")))
		}
	}
	at[f.path[len(f.path)-1]] = cloneJSON(f.value)
	return ""
}
