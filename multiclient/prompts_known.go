package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// maxKnownPrompts is how many prompts of a server are remembered.
const maxKnownPrompts = 10_000

// knownPrompts are the arguments of the prompts that were listed last, by name.
type knownPrompts struct {
	mu        sync.Mutex
	arguments map[string][]*mcp.PromptArgument
}

func (k *knownPrompts) set(prompts []*mcp.Prompt) {
	known := map[string][]*mcp.PromptArgument{}
	for _, p := range prompts[:min(len(prompts), maxKnownPrompts)] {
		arguments := make([]*mcp.PromptArgument, 0, len(p.Arguments)) // the caller gets the others
		for _, a := range p.Arguments {
			if a != nil {
				own := *a
				arguments = append(arguments, &own)
			}
		}
		known[p.Name] = arguments
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.arguments = known
}

// names returns the names of the prompts, sorted.
func (k *knownPrompts) names() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.arguments))
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
		return badPromptArguments(server, name, err)
	}
	return nil
}

// badPromptArguments returns the error for what adapters says of arguments of the
// prompt, which it names too.
func badPromptArguments(server, prompt string, err error) *Error {
	var e *adapters.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	of := fmt.Sprintf("prompt %q", prompt)
	if problem, ok := strings.CutPrefix(err.Error(), of+": "); ok {
		err = errors.New(problem)
	}
	return &Error{Kind: ErrBadArguments, Phase: PhaseCall, Server: server, Err: err, of: of}
}
