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
	complete  bool // all pages were asked for
}

type collectionKey struct{}

// ListTools lists the tools by a function that asks for each page. The SDK, which
// looks up in what it has listed how a tool is to be called, keeps every page under
// its cursor for as long as the session lasts, however old it is. To it all pages
// are therefore one, which takes the place of the one before. Middleware of the
// program may answer in the place of the server, with what may be one page of
// several: the others are then asked for one by one.
func ListTools(ctx context.Context, cs *mcp.ClientSession, collect func(context.Context, Page) ([]*mcp.Tool, error)) ([]*mcp.Tool, Freshness, error) {
	list := &collection{collect: collect}
	res, err := cs.ListTools(context.WithValue(ctx, collectionKey{}, list), &mcp.ListToolsParams{})
	if err != nil {
		return nil, Freshness{}, err
	}
	if list.complete && res.NextCursor == "" {
		return res.Tools, list.freshness, nil
	}
	tools, err := collect(ctx, func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
		if cursor == "" {
			return res.Tools, res.NextCursor, nil
		}
		page, err := cs.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Tools, page.NextCursor, nil
	})
	return tools, Freshness{Unknown: true}, err
}

// paged is the middleware for it.
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
		list.complete = true
		return &mcp.ListToolsResult{Tools: tools}, nil
	}
}

// uncached is middleware around all others: what the SDK would keep holds for no time,
// so that it never answers by itself, on a leased session neither. It would give to
// all users of a session what the server has said to one, and has no way around that.
func uncached(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if _, kept := req.(*mcp.ClientRequest[mcp.Params]); err != nil || !kept {
			return res, err // those of mcp.CallCustomMethod have parameters of their own type
		}
		switch r := res.(type) {
		case *mcp.ListToolsResult:
			return expired(r, func(r *mcp.ListToolsResult) { r.TTLMs = 0 }), nil
		case *mcp.ListPromptsResult:
			return expired(r, func(r *mcp.ListPromptsResult) { r.TTLMs = 0 }), nil
		case *mcp.ListResourcesResult:
			return expired(r, func(r *mcp.ListResourcesResult) { r.TTLMs = 0 }), nil
		case *mcp.ListResourceTemplatesResult:
			return expired(r, func(r *mcp.ListResourceTemplatesResult) { r.TTLMs = 0 }), nil
		case *mcp.ReadResourceResult:
			return expired(r, func(r *mcp.ReadResourceResult) { r.TTLMs = 0 }), nil
		}
		return res, nil
	}
}

// expired returns a copy: middleware of the program may keep the result.
func expired[R any](result *R, expire func(*R)) *R {
	if result == nil {
		return nil
	}
	own := *result
	expire(&own)
	return &own
}
