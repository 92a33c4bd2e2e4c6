package config

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// CheckSchema returns where a file of our own form is not what [Schema]
// describes: the places that an editor marks. Much of it can be read all the
// same, such as keys that clients call otherwise. There is nothing of values in
// it. What cannot be parsed, and files of other dialects, give nothing: see
// [Read].
func CheckSchema(source Source) []Fault {
	r := &reader{ctx: context.Background(), opts: (*ParseOptions)(nil).withDefaults()}
	d := r.document(source)
	if d == nil || d.dialect != "" && d.dialect != DialectOwn {
		return nil
	}
	c := &schemaCheck{d: d, resolved: map[string]*jsonschema.Resolved{}}
	if json.Unmarshal(schema, &c.root) != nil {
		return nil // tests see to it that this is not so
	}
	c.check(d.root, position{}, "#", nil)
	inOrder(c.faults, []Source{source})
	return c.faults
}

// A schemaCheck goes down into what a schema refuses, as far as it can, so that
// faults have the places of what is wrong.
type schemaCheck struct {
	d        *document
	root     jsonschema.Schema
	resolved map[string]*jsonschema.Resolved // by pointer
	faults   []Fault
}

// at returns the part of the schema that a pointer is of, or nil, and where it
// is when references are followed.
func (c *schemaCheck) at(pointer string) (*jsonschema.Schema, string) {
	s := &c.root
	parts := strings.Split(pointer, "/")[1:]
	for i := 0; i < len(parts) && s != nil; i++ {
		switch parts[i] {
		case "definitions", "properties":
			from := s.Definitions
			if parts[i] == "properties" {
				from = s.Properties
			}
			i++
			s = from[parts[i]]
		case "additionalProperties":
			s = s.AdditionalProperties
		case "items":
			s = s.Items
		}
	}
	switch {
	case s == nil:
		return nil, pointer
	case s.Ref != "":
		return c.at(s.Ref)
	case len(s.AllOf) == 1 && s.AllOf[0].Ref != "" && s.Type == "":
		return c.at(s.AllOf[0].Ref) // with a description of its own
	}
	return s, pointer
}

// accepts reports whether a value is what a part of the schema describes.
func (c *schemaCheck) accepts(n *node, pointer string) bool {
	resolved := c.resolved[pointer]
	if resolved == nil {
		part, _ := c.at(pointer)
		if part == nil {
			return true
		}
		own := *part
		own.Schema, own.Definitions = c.root.Schema, c.root.Definitions
		var err error
		if resolved, err = own.CloneSchemas().Resolve(nil); err != nil {
			return true // tests see to it that this is not so
		}
		c.resolved[pointer] = resolved
	}
	return resolved.Validate(plain(n)) == nil
}

// check adds the faults of a value. path are the keys that lead to it, of which
// the second is the name of the server.
func (c *schemaCheck) check(n *node, at position, pointer string, path []string) {
	if c.accepts(n, pointer) {
		return
	}
	s, pointer := c.at(pointer)
	if s == nil {
		return
	}
	if len(s.AnyOf) > 0 && len(path) == 2 {
		c.check(n, at, serverPointer(n), path)
		return
	}
	before := len(c.faults)
	for _, m := range n.members {
		below := append(slices.Clone(path), m.key)
		switch {
		case s.Properties[m.key] != nil:
			c.check(m.node, m.at, pointer+"/properties/"+m.key, below)
		case s.AdditionalProperties == nil:
		case s.AdditionalProperties.Not != nil: // false
			c.add(m.at, below, c.stranger(m.key, pointer, s.Properties))
		default:
			c.check(m.node, m.at, pointer+"/additionalProperties", below)
		}
	}
	if s.Items != nil {
		for i, element := range n.elements {
			c.check(element, element.at, pointer+"/items", append(slices.Clone(path), strconv.Itoa(i)))
		}
	}
	if len(c.faults) == before {
		c.add(at, path, expectation(s, n))
	}
}

// serverPointer tells which of the kinds of servers one is.
func serverPointer(n *node) string {
	_, command := n.find("command")
	if _, url := n.find("url"); url && !command {
		return "#/definitions/http"
	}
	return "#/definitions/stdio"
}

// stranger says what is wrong with a key that a part of the schema does not
// have.
func (c *schemaCheck) stranger(key, pointer string, properties map[string]*jsonschema.Schema) string {
	const problem = "is no key of the schema"
	switch name := canonical(key); {
	case properties[name] != nil && name != key:
		return problem + `: it calls it "` + name + `"`
	case pointer == "#/definitions/stdio" && c.root.Definitions["http"].Properties[key] != nil:
		return problem + ` for servers with "command"`
	case pointer == "#/definitions/http" && c.root.Definitions["stdio"].Properties[key] != nil:
		return problem + ` for servers with "url"`
	}
	names := map[string]bool{}
	for name := range maps.Keys(properties) {
		names[name] = true
	}
	return problem + suggest(key, names)
}

// expectation says what a value is not, without showing it.
func expectation(s *jsonschema.Schema, n *node) string {
	var missing []string
	for _, name := range s.Required {
		if _, ok := n.find(name); !ok && n.kind == kindObject {
			missing = append(missing, `"`+name+`"`)
		}
	}
	switch {
	case len(missing) > 0:
		return "has no " + strings.Join(missing, ", ") + ", which the schema wants"
	case len(s.Enum) > 0:
		var words []string
		for _, value := range s.Enum {
			words = append(words, fmt.Sprintf("%q", value))
		}
		return "the schema knows only " + strings.Join(words, ", ")
	case s.Type != "" && s.Type != n.kind && !(s.Type == "integer" && n.kind == kindNumber):
		return "the schema expects " + s.Type + ", found " + n.kind
	}
	return "is not what the schema describes"
}

func (c *schemaCheck) add(at position, path []string, problem string) {
	f := Fault{File: c.d.file, Problem: problem}
	f.Line, f.Column = c.d.locator.locate(at)
	if len(path) >= 2 {
		f.Server = path[1]
		for i, part := range path[2:] {
			if _, err := strconv.Atoi(part); err == nil && i > 0 {
				f.Key += "[" + part + "]"
				continue
			}
			f.Key = strings.TrimPrefix(f.Key+"."+part, ".")
		}
		f.Key = schemaKey(f.Key)
	} else if len(path) == 1 {
		f.Problem = quote(path[0]) + " " + problem
	}
	c.faults = append(c.faults, f)
}

// schemaKey leaves out of the name of a header or variable what may be a value.
func schemaKey(key string) string {
	for prefix, of := range map[string]func(string) string{"headers.": headerKey, "env.": envKey} {
		if name, ok := strings.CutPrefix(key, prefix); ok {
			return of(name)
		}
	}
	return key
}

// plain returns what a decoder of JSON would.
func plain(n *node) any {
	switch n.kind {
	case kindObject:
		object := make(map[string]any, len(n.members))
		for _, m := range n.members {
			object[m.key] = plain(m.node)
		}
		return object
	case kindArray:
		array := make([]any, len(n.elements))
		for i, element := range n.elements {
			array[i] = plain(element)
		}
		return array
	case kindNumber:
		if number, err := strconv.ParseFloat(n.text, 64); err == nil {
			return number
		}
		if number, err := strconv.ParseInt(n.text, 0, 64); err == nil {
			return float64(number) // such as 0x10
		}
		return n.text
	case kindBoolean:
		return n.text == "true"
	case kindNull:
		return nil
	}
	return n.text
}
