package multiclient

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// maxKnownPrompts is how many prompts of a server are remembered.
const maxKnownPrompts = 10_000

// knownPrompts are the arguments of the prompts that were listed, by name.
type knownPrompts struct {
	mu        sync.Mutex
	arguments map[string][]*mcp.PromptArgument
}

func (k *knownPrompts) add(p *mcp.Prompt) {
	arguments := make([]*mcp.PromptArgument, 0, len(p.Arguments)) // the caller gets the others
	for _, a := range p.Arguments {
		if a != nil {
			own := *a
			arguments = append(arguments, &own)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.arguments == nil || len(k.arguments) >= maxKnownPrompts {
		k.arguments = map[string][]*mcp.PromptArgument{}
	}
	k.arguments[p.Name] = arguments
}

func (k *knownPrompts) get(name string) *mcp.Prompt {
	k.mu.Lock()
	defer k.mu.Unlock()
	arguments, ok := k.arguments[name]
	if !ok {
		return nil
	}
	return &mcp.Prompt{Name: name, Arguments: arguments}
}

// checkPrompt returns an error if a prompt that has been listed does not take the
// arguments. Before it says so it lists again, since prompts change. The server
// judges what cannot be listed.
func (c *MultiServerClient) checkPrompt(ctx context.Context, server, name string, arguments map[string]string) error {
	s, err := c.server(server)
	if err != nil {
		return nil // told by what comes next
	}
	if s = s.as(ctx); s == nil {
		return nil // nothing is known for this identity
	}
	known := s.prompts.get(name)
	if known == nil || adapters.CheckPromptArguments(known, arguments) == nil {
		return nil
	}
	list, err := c.Prompts(ctx, server)
	i := slices.IndexFunc(list, func(p ServerPrompt) bool { return p.Name == name })
	if err != nil || i < 0 {
		return nil
	}
	if err := adapters.CheckPromptArguments(list[i].Prompt, arguments); err != nil {
		return badPromptArguments(server, err)
	}
	return nil
}

// badPromptArguments returns the error for what adapters says of arguments.
func badPromptArguments(server string, err error) *Error {
	var e *adapters.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return &Error{Kind: ErrBadArguments, Phase: PhaseConfigure, Server: server, Err: err}
}
