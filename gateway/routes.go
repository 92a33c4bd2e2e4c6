package gateway

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// maxLinks is how many resources are remembered that results of a server have
// linked to.
const maxLinks = 10_000

// A route is where a prompt comes from.
type route struct{ server, name string }

// routes say which server has what.
type routes struct {
	routesMu  sync.Mutex
	prompts   map[string]route  // by exposed name
	resources map[string]string // servers by URI
	templates map[string]string // servers by URI template
	matchers  []matcher         // the templates, the most specific first
	links     map[string]string // servers by URI, of what only results told of
	linked    map[string]int    // how many links of a server there are
}

type matcher struct {
	template *uritemplate.Template
	server   string
	literal  int  // how much of the template is no variable
	anything bool // the template does not even name a scheme
}

func newMatcher(raw, server string) (matcher, error) {
	t, err := uritemplate.New(raw)
	before, rest, _ := strings.Cut(raw, "{")
	m := matcher{template: t, server: server, literal: len(before), anything: !strings.Contains(before, ":")}
	for rest != "" {
		_, rest, _ = strings.Cut(rest, "}")
		before, rest, _ = strings.Cut(rest, "{")
		m.literal += len(before)
	}
	return m, err
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
		if m, err := newMatcher(raw, templates[raw]); err == nil {
			r.matchers = append(r.matchers, m)
		}
	}
	slices.SortStableFunc(r.matchers, func(a, b matcher) int {
		return cmp.Or(cmp.Compare(b.literal, a.literal), strings.Compare(a.server, b.server))
	})
}

// prompt returns the server of a prompt and the name that it has there.
func (r *routes) prompt(exposed string) (server, name string, ok bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	found, ok := r.prompts[exposed]
	return found.server, found.name, ok
}

// serverOf returns the server that a resource, or a resource template given as
// it is, comes from. What a server lists is its own, then what its templates
// describe, the most specific first. What a result merely links to comes after
// that, so that no result takes over what another server offers; and a template
// for any URI comes last, so that it takes over no link. A URI that nothing is
// known of leads nowhere: it may be another server's secret.
func (r *routes) serverOf(uri string) (string, bool) {
	r.routesMu.Lock()
	defer r.routesMu.Unlock()
	if server, ok := r.resources[uri]; ok {
		return server, true
	}
	if server, ok := r.templates[uri]; ok {
		return server, true
	}
	if server, ok := r.described(uri, false); ok {
		return server, true
	}
	if server, ok := r.links[uri]; ok {
		return server, true
	}
	return r.described(uri, true)
}

// described returns the server with a template for a URI, of the templates for
// any URI or of the others.
func (r *routes) described(uri string, byAnything bool) (string, bool) {
	for _, m := range r.matchers {
		if m.anything == byAnything && m.template.Regexp().MatchString(uri) {
			return m.server, true
		}
	}
	return "", false
}

// sawLinks remembers which server the resources in content come from. The first
// that links to one keeps it.
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
		if _, known := r.links[uri]; known || uri == "" {
			continue
		}
		if r.links == nil {
			r.links, r.linked = map[string]string{}, map[string]int{}
		}
		if r.linked[server] >= maxLinks { // those that matter are linked again
			maps.DeleteFunc(r.links, func(_, of string) bool { return of == server })
			r.linked[server] = 0
		}
		r.links[uri] = server
		r.linked[server]++
	}
}
