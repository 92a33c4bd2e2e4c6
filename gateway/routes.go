package gateway

import (
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// maxLinks is how many resources are remembered that results have linked to.
const maxLinks = 10_000

// A route is where a prompt comes from.
type route struct{ server, name string }

// routes say which server has what.
type routes struct {
	routesMu  sync.Mutex
	prompts   map[string]route  // by exposed name
	resources map[string]string // servers by URI
	templates map[string]string // servers by URI template
	matchers  []matcher         // the templates in their order
	links     map[string]string // servers by URI, of what only results told of
}

type matcher struct {
	template *uritemplate.Template
	server   string
}

// keep adds to routes those of the servers that failed.
func keep[K comparable, V any](routes, before map[K]V, stays func(V) bool) {
	for key, v := range before {
		if _, ok := routes[key]; !ok && stays(v) {
			routes[key] = v
		}
	}
}

func (r *routes) setPrompts(prompts map[string]route, failed map[string]bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	keep(prompts, r.prompts, func(v route) bool { return failed[v.server] })
	r.prompts = prompts
}

func (r *routes) setResources(resources, templates map[string]string, failed, failedTemplates map[string]bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	keep(resources, r.resources, func(server string) bool { return failed[server] })
	keep(templates, r.templates, func(server string) bool { return failedTemplates[server] })
	r.resources, r.templates = resources, templates
	r.matchers = nil
	for _, raw := range slices.Sorted(maps.Keys(templates)) {
		if t, err := uritemplate.New(raw); err == nil {
			r.matchers = append(r.matchers, matcher{t, templates[raw]})
		}
	}
}

// prompt returns the server of a prompt and the name that it has there.
func (r *routes) prompt(exposed string) (server, name string, ok bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	found, ok := r.prompts[exposed]
	return found.server, found.name, ok
}

// serverOf returns the server that a resource, or a resource template given as
// it is, comes from. A URI that nothing is known of leads nowhere: it may be
// another server's secret.
func (r *routes) serverOf(uri string) (string, bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	for _, m := range []map[string]string{r.resources, r.links, r.templates} {
		if server, ok := m[uri]; ok {
			return server, true
		}
	}
	for _, m := range r.matchers {
		if m.template.Regexp().MatchString(uri) {
			return m.server, true
		}
	}
	return "", false
}

// sawLinks remembers which server the resources in content come from.
func (r *routes) sawLinks(server string, content []mcp.Content) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	for _, block := range content {
		uri := ""
		switch c := block.(type) {
		case *mcp.ResourceLink:
			uri = c.URI
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				uri = c.Resource.URI
			}
		}
		if uri == "" {
			continue
		}
		if r.links == nil || len(r.links) >= maxLinks {
			r.links = map[string]string{} // those that matter are linked again
		}
		if _, ok := r.links[uri]; !ok {
			r.links[uri] = server
		}
	}
}
