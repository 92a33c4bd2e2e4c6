package gateway

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// No server comes by the resources of another by linking to them.
func TestWhoseResource(t *testing.T) {
	var r routes
	r.setResources(
		map[string]string{"file:///listed": "b"},
		map[string]string{
			"notes://{id}": "a", "notes://private/{id}": "c", "file:///{+path}": "b", "{+uri}": "b", "mail:{box}": "d", "mail:{other}": "c",
		}, nil, nil)
	for _, uri := range []string{"notes://1", "notes://{id}", "file:///listed", "file:///elsewhere", "web://mine"} {
		r.sawLinks("evil", []mcp.Content{&mcp.ResourceLink{URI: uri}})
	}
	r.sawLinks("late", []mcp.Content{&mcp.ResourceLink{URI: "web://mine"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "web://other"}}, &mcp.EmbeddedResource{}})
	for uri, want := range map[string]string{
		"notes://1": "a", "notes://{id}": "a", "notes://private/1": "c", // the more specific template
		"file:///listed": "b", "file:///elsewhere": "b", "mail:in": "c", // the first by name
		"web://mine": "evil", "web://other": "late", // a template for anything takes no link
		"any://1": "b",
	} {
		if got, ok := r.serverOf(uri); got != want || !ok {
			t.Errorf("%s is of %q, want %q", uri, got, want)
		}
	}
}

// A server that links to very much makes nobody forget the links of others.
func TestLinksOfAServerAreBounded(t *testing.T) {
	var r routes
	r.sawLinks("a", []mcp.Content{&mcp.ResourceLink{URI: "web://a"}})
	var flood []mcp.Content
	for i := range maxLinks + 1 {
		flood = append(flood, &mcp.ResourceLink{URI: fmt.Sprint("web://", i)})
	}
	r.sawLinks("b", flood)
	if got, _ := r.serverOf("web://a"); got != "a" {
		t.Errorf("the link of another is of %q", got)
	}
	if got, _ := r.serverOf(fmt.Sprint("web://", maxLinks)); got != "b" || len(r.links) != 2 {
		t.Errorf("the last link is of %q, among %d", got, len(r.links))
	}
}

// An update counts if it comes from the server that was subscribed to.
func TestWhomAnUpdateConcerns(t *testing.T) {
	var s subscriptions
	one, two := &mcp.ServerSession{}, &mcp.ServerSession{}
	s.add(subscription{"a", "file:///dir"}, one)
	s.add(subscription{"a", "file:///dir"}, two)
	s.add(subscription{"b", "file:///other/"}, one)
	for _, tt := range []struct {
		server, uri string
		want        []string
	}{
		{"a", "file:///dir", []string{"file:///dir"}}, {"b", "file:///dir", nil},
		{"a", "file:///dir/file", []string{"file:///dir"}}, {"a", "file:///directory", nil},
		{"b", "file:///other/file", []string{"file:///other/"}}, {"a", "file:///other/file", nil},
	} {
		if diff := cmp.Diff(tt.want, s.concerned(tt.server, tt.uri)); diff != "" {
			t.Errorf("%s of %s: %s", tt.uri, tt.server, diff)
		}
	}
	if last := s.remove("file:///dir", one); last != nil {
		t.Errorf("the last at %q", last)
	}
	s.add(subscription{"b", "file:///dir"}, two) // where it has come to be meanwhile
	if last := s.remove("file:///dir", two); len(last) != 2 {
		t.Errorf("the last at %q, want both", last)
	}
	if s.remove("file:///dir", two) != nil || len(s.clients) != 1 {
		t.Errorf("%d subscriptions stay", len(s.clients))
	}
}
