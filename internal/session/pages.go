package session

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Page returns the page of the tools that begins at a cursor, which is empty for
// the first, and the cursor of the next.
type Page func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error)

// A collection is a list of the tools under way.
type collection struct {
	collect   func(context.Context, Page) ([]*mcp.Tool, error)
	freshness Freshness
}

type collectionKey struct{}

// ListTools lists the tools by a function that asks for each page. The SDK, which
// looks up in what it has listed how a tool is to be called, keeps every page under
// its cursor for as long as the session lasts, however old it is. To it all pages
// are therefore one, which takes the place of the one before.
func ListTools(ctx context.Context, cs *mcp.ClientSession, collect func(context.Context, Page) ([]*mcp.Tool, error)) ([]*mcp.Tool, Freshness, error) {
	list := &collection{collect: collect}
	res, err := cs.ListTools(context.WithValue(ctx, collectionKey{}, list), &mcp.ListToolsParams{})
	if err != nil {
		return nil, Freshness{}, err
	}
	return res.Tools, list.freshness, nil
}

// paged is the middleware for it. What it returns holds for no time, so that the
// SDK does not answer by itself when it is asked again.
func paged(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		list, ours := ctx.Value(collectionKey{}).(*collection)
		first, ok := req.GetParams().(*mcp.ListToolsParams)
		cs, client := req.GetSession().(*mcp.ClientSession)
		if !ours || !ok || !client {
			return next(ctx, method, req)
		}
		tools, err := list.collect(ctx, func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
			params := *first
			params.Cursor = cursor
			res, err := next(ctx, method, &mcp.ClientRequest[mcp.Params]{Session: cs, Params: &params})
			page, ok := res.(*mcp.ListToolsResult)
			if err != nil || !ok {
				return nil, "", err
			}
			list.freshness.note(page.Cacheable)
			return page.Tools, page.NextCursor, nil
		})
		if err != nil {
			return nil, err
		}
		return &mcp.ListToolsResult{Tools: tools}, nil
	}
}
