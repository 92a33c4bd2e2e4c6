package multiclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// didYouMean names those of names that come near, for the end of a message, or
// is empty.
func didYouMean(name string, names []string) string {
	return asQuestion(adapters.NearNames(name, names))
}

func asQuestion(near []string) string {
	if near == nil {
		return ""
	}
	quoted := make([]string, len(near))
	for i, n := range near {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return " (did you mean " + strings.Join(quoted, " or ") + "?)"
}

// ownName adds to the error of a call that the server refused how it calls the
// tool itself, if it does not list the name: agents know tools by other names,
// with a prefix for one.
func (s *server) ownName(tool string, err error) error {
	if s.catalogue.lookup(tool) != nil {
		return err
	}
	known, _ := s.catalogue.last(s)
	var names []string
	for _, t := range known.tools {
		names = append(names, t.Name)
	}
	return notListed(err, "tool of this name", didYouMean(tool, names))
}

// nearPrompts adds to the error of a request for a prompt that the server refused
// which of those that it lists come near, if the name is not among them.
func (c *MultiServerClient) nearPrompts(ctx context.Context, server, name string, err error) error {
	s, failed := c.server(server)
	if err == nil || failed != nil {
		return err
	}
	if s = s.as(ctx); s == nil || s.prompts.get(name) != nil {
		return err
	}
	return notListed(err, "prompt of this name", didYouMean(name, s.prompts.names()))
}

// nearResources is like nearPrompts for a resource.
func (c *MultiServerClient) nearResources(ctx context.Context, server, uri string, err error) error {
	s, failed := c.server(server)
	if err == nil || failed != nil {
		return err
	}
	if s = s.as(ctx); s == nil {
		return err
	}
	near, known := s.resources.near(uri)
	if known {
		return err
	}
	return notListed(err, "resource of this URI", near)
}

// notListed adds to the error of a request that the server refused that it lists
// nothing of the kind, and what comes near, if anything does.
func notListed(err error, what, near string) error {
	e, ok := err.(*Error) // not one inside what an interceptor returned
	if !ok || e.Kind != ErrRefused || undelivered(e.Err) || near == "" {
		return err
	}
	own := *e
	own.Err = hinted{cause: e.Err, hint: "the server lists no " + what + near}
	return &own
}

// undeclared adds to the error of a request that the server refused that it has
// declared nothing of the kind.
func undeclared(cs *mcp.ClientSession, err error, what string, has func(*mcp.ServerCapabilities) bool) error {
	if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || ofCallback(err) || undelivered(err) || declares(cs, has) {
		return err
	}
	return hinted{cause: err, hint: "the server declares no " + what}
}

// maxKnownResources is how many resources of a server are remembered, for what is
// only said when one is not found.
const maxKnownResources = 1000

// knownResources are the URIs of the resources that were listed last.
type knownResources struct {
	mu   sync.Mutex
	uris []string
}

func (k *knownResources) set(resources []*mcp.Resource) {
	var uris []string
	for _, r := range resources[:min(len(resources), maxKnownResources)] {
		uris = append(uris, r.URI)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.uris = uris
}

// near names those that come near the URI, for the end of a message, and reports
// whether it is one of them. What all begin with makes none of them alike.
func (k *knownResources) near(uri string) (_ string, known bool) {
	k.mu.Lock()
	uris := k.uris
	k.mu.Unlock()
	if slices.Contains(uris, uri) {
		return "", true
	}
	common := folder(uri)
	for _, u := range uris {
		for !strings.HasPrefix(u, common) {
			common = folder(common)
		}
	}
	tails := make([]string, len(uris))
	for i, u := range uris {
		tails[i] = strings.TrimPrefix(u, common)
	}
	tail := strings.TrimPrefix(uri, common)
	var near []string
	for _, n := range adapters.NearNames(tail, tails) {
		near = append(near, common+n)
	}
	return asQuestion(near), false
}

// folder returns the URI without its last part, which is shorter.
func folder(uri string) string {
	return uri[:strings.LastIndexByte(strings.TrimSuffix(uri, "/"), '/')+1]
}

// A hinted error says something before its cause.
type hinted struct {
	cause error
	hint  string
}

func (h hinted) Error() string {
	if h.cause == nil {
		return h.hint
	}
	return h.hint + ": " + h.cause.Error()
}

func (h hinted) Unwrap() error { return h.cause }
