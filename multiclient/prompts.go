package multiclient

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A ServerPrompt is a prompt and the server that offers it.
type ServerPrompt struct {
	ServerName string
	*mcp.Prompt
}

// Prompts lists the prompts of the named servers, or of all, in the order of
// the servers. Servers that declare no prompts are not asked. Servers that
// fail are reported as by [MultiServerClient.Tools].
func (c *MultiServerClient) Prompts(ctx context.Context, servers ...string) ([]ServerPrompt, error) {
	return listAll(ctx, c, servers, promptsListing())
}

func declaresPrompts(caps *mcp.ServerCapabilities) bool { return caps.Prompts != nil }

func promptsListing() listing[*mcp.Prompt, ServerPrompt] {
	return listing[*mcp.Prompt, ServerPrompt]{
		what:     "prompts",
		declared: declaresPrompts,
		page: func(ctx context.Context, cs *mcp.ClientSession, cursor string) ([]*mcp.Prompt, string, error) {
			res, err := request[*mcp.ListPromptsResult](ctx, cs, "prompts/list", &mcp.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Prompts, res.NextCursor, nil
		},
		stamp: func(server string, p *mcp.Prompt) ServerPrompt {
			own := *p
			return ServerPrompt{server, &own}
		},
		note:  func(s *server, prompts []*mcp.Prompt) { s.prompts.set(prompts) },
		watch: func(s *server) *watch[*mcp.Prompt] { return s.promptsWatch },
	}
}

// Prompt gets a prompt of a server. adapters.PromptMessages makes langchaingo
// messages of it.
//
// Arguments that a prompt which has been listed does not declare, and required
// ones that are missing, are an [*Error] of kind [ErrBadArguments], before
// anything is asked but the list once more. What has not been listed is the
// server's to judge.
func (c *MultiServerClient) Prompt(ctx context.Context, serverName, name string, arguments map[string]string) (*mcp.GetPromptResult, error) {
	if err := c.checkPrompt(ctx, serverName, name, arguments); err != nil {
		return nil, err
	}
	res, err := with(ctx, c, serverName, callBound, func(ctx context.Context, s *server) (*mcp.GetPromptResult, error) {
		return ask(ctx, s, PhaseCall, func(ctx context.Context, cs *mcp.ClientSession) (*mcp.GetPromptResult, error) {
			res, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
			return res, undeclared(cs, err, "prompts", declaresPrompts)
		})
	})
	return res, about(c.nearPrompts(ctx, serverName, name, err), "", fmt.Sprintf("prompt %q", name))
}
