package transport

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdkjson "github.com/segmentio/encoding/json"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// maxDropped is how many entries of one list are reported one by one.
const maxDropped = 16

// A list is the result of a method that lists. The SDK decodes it as a whole,
// so that one entry with a value of the wrong type would cost all of them.
type list struct {
	key  string // of the entries
	what string
	// whole and entry return what is wrong with a result and with one entry.
	whole, entry func(data []byte) error
}

var lists = map[string]list{
	"tools/list":     listOf("tools", "tool", func(r *mcp.ListToolsResult) []*mcp.Tool { return r.Tools }),
	"prompts/list":   listOf("prompts", "prompt", func(r *mcp.ListPromptsResult) []*mcp.Prompt { return r.Prompts }),
	"resources/list": listOf("resources", "resource", func(r *mcp.ListResourcesResult) []*mcp.Resource { return r.Resources }),
	"resources/templates/list": listOf("resourceTemplates", "resource template",
		func(r *mcp.ListResourceTemplatesResult) []*mcp.ResourceTemplate { return r.ResourceTemplates }),
}

func listOf[R, E any](key, what string, entries func(*R) []*E) list {
	return list{key, what, func(data []byte) error {
		r := new(R)
		if err := decodable(data, r); err != nil {
			return err
		}
		for _, e := range entries(r) {
			if err := useless(e); err != nil {
				return err
			}
		}
		return nil
	}, func(data []byte) error {
		var e *E
		if err := decodable(data, &e); err != nil {
			return err
		}
		return useless(e)
	}}
}

// useless returns why an entry that can be decoded is of no use, or nil.
func useless[E any](entry *E) error {
	if entry == nil {
		return errors.New("it is null")
	}
	if tool, ok := any(entry).(*mcp.Tool); ok && tool.Name == "" {
		return errors.New("it has no name")
	}
	return nil
}

func newOf[T any]() any { return new(T) }

// decodable returns why the SDK cannot decode data into v, by its rules.
func decodable(data []byte, v any) error {
	_, err := sdkjson.Parse(data, v, sdkjson.DontMatchCaseInsensitiveStructFields)
	return err
}

// mend returns the result without what the SDK cannot decode, and tells report
// what that was. It returns false if there is nothing to leave out, or no list.
func (l list) mend(result []byte, report func(error)) (other []byte, changed bool) {
	if l.whole(result) == nil {
		return nil, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil {
		return nil, false
	}
	var entries []json.RawMessage
	if json.Unmarshal(members[l.key], &entries) != nil {
		return nil, false
	}
	var problems []error
	kept := make([]json.RawMessage, 0, len(entries))
	for i, entry := range entries {
		if err := l.entry(entry); err != nil {
			problems = append(problems, fmt.Errorf("the server's list of %s: the %s with index %d%s was left out, since it is malformed: %s",
				l.key, l.what, i, named(entry), brief(err.Error())))
			continue
		}
		kept = append(kept, entry)
	}
	members[l.key], _ = json.Marshal(kept) // of what was read just now
	for key, value := range members {
		alone, _ := json.Marshal(map[string]json.RawMessage{key: value})
		if err := l.whole(alone); err != nil {
			problems = append(problems, fmt.Errorf("the server's list of %s: its %s was left out, since it is malformed: %s",
				l.key, brief(key), brief(err.Error())))
			delete(members, key)
		}
	}
	other, _ = json.Marshal(members)
	if l.whole(other) != nil {
		return nil, false
	}
	for _, err := range problems[:min(len(problems), maxDropped)] {
		report(err)
	}
	if more := len(problems) - maxDropped; more > 0 {
		report(fmt.Errorf("the server's list of %s: %d more were left out", l.key, more))
	}
	return other, true
}

// named returns the name of a malformed entry, if it has one, for a message.
func named(entry []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(entry, &members) != nil {
		return ""
	}
	for _, key := range []string{"name", "uri", "uriTemplate"} {
		var name string
		if json.Unmarshal(members[key], &name) == nil && name != "" {
			return " (" + brief(name) + ")"
		}
	}
	return ""
}

// brief quotes the beginning of text that may be a server's.
func brief(text string) string { return fmt.Sprintf("%.200q", text) }

// result returns what the SDK can decode in the place of the result of a
// method that it cannot.
func (o Options) result(method string, result []byte) (other []byte, changed bool) {
	if l, ok := lists[method]; ok {
		return l.mend(result, o.malformed)
	}
	if c, ok := contents[method]; ok {
		if other, changed = c.mend(result, o.malformed); changed {
			result = other
		}
	}
	for _, step := range []func([]byte) ([]byte, bool){calls.Result, calls.KeepExact} {
		if next, more := step(result); more {
			other, changed, result = next, true, next
		}
	}
	return other, changed
}

// malformed reports a part of an answer that was left out.
func (o Options) malformed(err error) {
	o.Logger.Warn(err.Error(), "server", o.Server)
	if o.Report != nil {
		o.Report(err)
	}
}
