package adapters

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// ToolConfig is what [NewTool] makes a [Tool] from.
type ToolConfig struct {
	// Name is what agents and models call the tool. Required. It is not
	// checked against the rules of a provider.
	Name string

	// ServerName is the connection that the tool belongs to. It goes into
	// requests and errors and may be empty.
	ServerName string

	// Tool is the server's definition. Required, with a name. It is kept and
	// shared with every [interceptors.Request], and must not change any more.
	Tool *mcp.Tool

	// Handler performs the calls, interceptors included. Required. It is called
	// concurrently for concurrent calls.
	Handler interceptors.Handler

	Options ToolOptions
}

// A Tool is a tool of an MCP server as a tool of langchaingo. Use [Tool.Call]
// where langchaingo does, and [Tool.Invoke] for the whole result.
//
// It is safe for concurrent use.
type Tool struct {
	name    string
	server  string
	tool    *mcp.Tool
	handler interceptors.Handler
	options ToolOptions

	// Made on first use: a catalogue may be far larger than what is used of it.
	schema     func() shownSchema
	passedOn   func() map[string]any // where the schema is sent as it is
	parameters func() *parameters
	validator  func() *validator // nil if the schema cannot judge
	words      func() string
}

var _ tools.Tool = (*Tool)(nil)

// NewTool returns a tool, or an [*Error] of kind [ErrBadOption] that says what
// is missing from cfg.
func NewTool(cfg ToolConfig) (*Tool, error) {
	var missing []string
	if cfg.Name == "" {
		missing = append(missing, "Name")
	}
	if cfg.Tool == nil || cfg.Tool.Name == "" {
		missing = append(missing, "Tool with a name")
	}
	if cfg.Handler == nil {
		missing = append(missing, "Handler")
	}
	if missing != nil {
		return nil, &Error{
			Kind: ErrBadOption, Server: cfg.ServerName, Tool: cfg.Name,
			Err: errors.New("a ToolConfig needs a " + strings.Join(missing, " and a ")),
		}
	}
	t := &Tool{name: cfg.Name, server: cfg.ServerName, tool: cfg.Tool, handler: cfg.Handler, options: cfg.Options}
	t.schema = sync.OnceValue(func() shownSchema { return showSchema(t.tool.InputSchema, t.options.SchemaProfile) })
	t.passedOn = sync.OnceValue(func() map[string]any {
		if rulesFor(t.options.SchemaProfile) == &portableRules && t.options.SchemaProfile != SchemaRaw && t.options.SchemaProfile != SchemaOpenAIStrict {
			return normalize(plainSchema(t.tool.InputSchema), &passedOnRules)
		}
		return t.schema().schema
	})
	t.parameters = sync.OnceValue(func() *parameters {
		return newParameters(NormalizeSchema(t.tool.InputSchema, SchemaRaw))
	})
	t.validator = sync.OnceValue(func() *validator { return newValidator(t.tool.InputSchema) })
	t.words = sync.OnceValue(func() string { return wordsForArguments(t.tool.InputSchema) })
	return t, nil
}

// Name returns the exposed name.
func (t *Tool) Name() string { return t.name }

// ServerName returns the connection that the tool belongs to.
func (t *Tool) ServerName() string { return t.server }

// OriginalName returns the name that the server gives the tool.
func (t *Tool) OriginalName() string { return t.tool.Name }

// Description returns the server's description, with the schema in words after
// it if [ToolOptions.SchemaInDescription] is set. A tool without a description is
// described by its title, or else by its name and server, since models need to
// read something.
//
// The words are the server's, to which nothing is done except that U+FFFD takes
// the place of invalid UTF-8, of control characters other than newlines and tabs,
// and of what makes text look other than it is: overrides, embeddings and isolates
// of direction, and Unicode tags, which only models read. The same is done to
// titles and descriptions in schemas, unless the profile is [SchemaRaw]. They are
// not to be trusted all the same: a model that reads them is under the influence
// of whoever runs the server.
func (t *Tool) Description() string {
	description := t.description()
	if !t.options.SchemaInDescription {
		return description
	}
	return description + "\n" + t.words()
}

func (t *Tool) description() string {
	candidates := []string{t.tool.Description, t.tool.Title}
	if t.tool.Annotations != nil {
		candidates = append(candidates, t.tool.Annotations.Title)
	}
	for _, candidate := range candidates {
		if !blank(candidate) {
			return plain(candidate)
		}
	}
	if t.server == "" {
		return fmt.Sprintf("The tool %s.", quoted(t.tool.Name))
	}
	return fmt.Sprintf("The tool %s of the server %s.", quoted(t.tool.Name), quoted(t.server))
}

// Schema returns the schema of the arguments as a model is shown it: the
// server's, by way of [NormalizeSchema] with [ToolOptions.SchemaProfile]. The
// copy belongs to the caller.
func (t *Tool) Schema() map[string]any {
	return cloneJSON(t.schema().schema).(map[string]any)
}

// Definition returns the tool as [llms.WithTools] takes it. The copy belongs to
// the caller. Its description never holds the schema, which is in the
// parameters. Strict is set if and only if [StrictSchema] says so, and the
// profile is [SchemaOpenAIStrict].
func (t *Tool) Definition() llms.Tool { return t.definition(t.Schema()) }

func (t *Tool) definition(parameters map[string]any) llms.Tool {
	return llms.Tool{
		Type: "function",
		Function: &llms.FunctionDefinition{
			Name:        t.name,
			Description: t.description(),
			Parameters:  parameters,
			Strict:      t.schema().omit != nil,
		},
	}
}

// definitionPassedOn is Definition for a package that sends schemas as they are:
// there a portable one keeps its unions.
func (t *Tool) definitionPassedOn() llms.Tool {
	return t.definition(cloneJSON(t.passedOn()).(map[string]any))
}

// MCPTool returns the server's definition, with everything that it says:
// annotations, the schemas as they came, icons, _meta. The copy belongs to the
// caller.
//
// Schemas are copied as deeply as they consist of map[string]any and []any,
// which is what the SDK decodes them to.
func (t *Tool) MCPTool() *mcp.Tool { return cloneTool(t.tool) }
