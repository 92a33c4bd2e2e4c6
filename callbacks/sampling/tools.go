package sampling

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// offer adds the tools and the choice among them.
func (p *prompt) offer(params *mcp.CreateMessageWithToolsParams) {
	if len(params.Tools) == 0 {
		return // OpenAI refuses a choice among no tools
	}
	choice := ""
	if params.ToolChoice != nil {
		choice = params.ToolChoice.Mode
	}
	p.mayCall = choice != "none"
	// Not every provider knows a choice, but none calls a tool that it does not
	// know. Where calls were made before, Anthropic wants to know them.
	if !p.mayCall && !slices.ContainsFunc(p.messages, func(m llms.MessageContent) bool { return m.Role == llms.ChatMessageTypeTool }) {
		return
	}
	tools := make([]llms.Tool, len(params.Tools))
	for i, tool := range params.Tools {
		tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name:        p.names.legal(tool.Name),
			Description: clean(tool.Description),
			Parameters:  p.sampler.Schema(tool.InputSchema),
		}}
	}
	p.options = append(p.options, llms.WithTools(tools))
	if choice == "required" || choice == "none" {
		p.options = append(p.options, llms.WithToolChoice(choice))
	}
}

// objectSchema makes sure that a schema is one of an object with properties.
func objectSchema(schema any) map[string]any {
	own, _ := schema.(map[string]any)
	own = maps.Clone(own)
	if own == nil {
		own = map[string]any{}
	}
	own["type"] = "object"
	if _, ok := own["properties"].(map[string]any); !ok {
		own["properties"] = map[string]any{}
	}
	return own
}

// names are those of the tools of a request, as all providers take them:
// ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$.
type names struct{ toLegal, toServer map[string]string }

// namesOf gives every tool that is offered or was used a name: its own, if
// that is legal, and else one that ends in a hash.
func namesOf(params *mcp.CreateMessageWithToolsParams) names {
	n := names{toLegal: map[string]string{}, toServer: map[string]string{}}
	var others []string
	add := func(name string) {
		if legalName(name) == name {
			n.toLegal[name], n.toServer[name] = name, name
		} else {
			others = append(others, name)
		}
	}
	for _, tool := range params.Tools {
		add(tool.Name)
	}
	for _, message := range params.Messages {
		for _, block := range message.Content {
			if use, ok := block.(*mcp.ToolUseContent); ok {
				add(use.Name)
			}
		}
	}
	for _, name := range others {
		base := legalName(name)
		for salt := ""; n.toLegal[name] == ""; salt += "\x00" {
			sum := sha256.Sum256([]byte(name + salt))
			hash := "_" + hex.EncodeToString(sum[:4])
			legal := base[:min(len(base), maxName-len(hash))] + hash
			if n.toServer[legal] == "" { // always, unless someone has contrived it
				n.toLegal[name], n.toServer[legal] = legal, name
			}
		}
	}
	return n
}

const maxName = 64

// legalName returns the name if it is legal, and else one that is, but perhaps
// not the only one of its kind.
func legalName(name string) string {
	legal := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if legal == "" || legal[0] == '-' || legal[0] >= '0' && legal[0] <= '9' {
		legal = "_" + legal
	}
	return legal[:min(len(legal), maxName)]
}

func (n names) legal(name string) string { return n.toLegal[name] }

// server returns what the server calls a tool that the model has called. A
// tool that does not exist is the server's to refuse.
func (n names) server(name string) string {
	if server, ok := n.toServer[name]; ok {
		return server
	}
	return name
}
