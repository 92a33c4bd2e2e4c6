package multiclient

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A ServerResource is a resource and the server that offers it.
type ServerResource struct {
	ServerName string
	*mcp.Resource
}

// A ServerResourceTemplate is a resource template and the server that offers
// it.
type ServerResourceTemplate struct {
	ServerName string
	*mcp.ResourceTemplate
}

func declaresResources(caps *mcp.ServerCapabilities) bool { return caps.Resources != nil }

// Resources lists the resources of the named servers, or of all, in the order
// of the servers. Servers that declare no resources are not asked. Servers
// that fail are reported as by [MultiServerClient.Tools].
func (c *MultiServerClient) Resources(ctx context.Context, servers ...string) ([]ServerResource, error) {
	return listAll(ctx, c, servers, resourcesListing())
}

func resourcesListing() listing[*mcp.Resource, ServerResource] {
	return listing[*mcp.Resource, ServerResource]{
		what:     "resources",
		declared: declaresResources,
		page: func(ctx context.Context, cs *mcp.ClientSession, cursor string) ([]*mcp.Resource, string, error) {
			res, err := request[*mcp.ListResourcesResult](ctx, cs, "resources/list", &mcp.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Resources, res.NextCursor, nil
		},
		stamp: func(server string, r *mcp.Resource) ServerResource {
			own := *r
			return ServerResource{server, &own}
		},
		note:  func(s *server, resources []*mcp.Resource) { s.resources.set(resources) },
		watch: func(s *server) *watch[*mcp.Resource] { return s.resourceWatch },
	}
}

// ResourceTemplates lists the resource templates of the named servers, or of
// all, like [MultiServerClient.Resources].
func (c *MultiServerClient) ResourceTemplates(ctx context.Context, servers ...string) ([]ServerResourceTemplate, error) {
	return listAll(ctx, c, servers, listing[*mcp.ResourceTemplate, ServerResourceTemplate]{
		what:     "resource templates",
		declared: declaresResources,
		page: func(ctx context.Context, cs *mcp.ClientSession, cursor string) ([]*mcp.ResourceTemplate, string, error) {
			res, err := request[*mcp.ListResourceTemplatesResult](ctx, cs, "resources/templates/list", &mcp.ListResourceTemplatesParams{Cursor: cursor})
			if methodNotFound(err) {
				// Templates have no capability of their own.
				return nil, "", nil
			}
			if err != nil {
				return nil, "", err
			}
			return res.ResourceTemplates, res.NextCursor, nil
		},
		stamp: func(server string, r *mcp.ResourceTemplate) ServerResourceTemplate {
			own := *r
			return ServerResourceTemplate{server, &own}
		},
	})
}

// ReadResource reads a resource of a server. adapters.ResourceDocuments makes
// langchaingo documents of it.
func (c *MultiServerClient) ReadResource(ctx context.Context, serverName, uri string) (*mcp.ReadResourceResult, error) {
	res, err := with(ctx, c, serverName, callBound, func(ctx context.Context, s *server) (*mcp.ReadResourceResult, error) {
		return ask(ctx, s, PhaseCall, func(ctx context.Context, cs *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
			res, err := request[*mcp.ReadResourceResult](ctx, cs, "resources/read", &mcp.ReadResourceParams{URI: uri})
			return res, undeclared(cs, err, "resources", declaresResources)
		})
	})
	return res, about(c.nearResources(ctx, serverName, uri, err), "", fmt.Sprintf("resource %q", uri))
}
