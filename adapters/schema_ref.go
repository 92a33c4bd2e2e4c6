package adapters

import (
	"net/url"
	"strconv"
	"strings"
)

// maxHops bounds the references that are followed on the way of one pointer.
const maxHops = 16

// target finds what a reference of the document refers to. Nothing is fetched:
// it finds JSON pointers ("#/$defs/a"), anchors ("#a") and the $id of a schema in
// the document, followed by either.
func (p *parser) target(ref string) (any, bool) {
	base, fragment, _ := strings.Cut(ref, "#")
	var from any = p.doc
	if base != "" {
		named, ok := p.named()[base]
		if !ok {
			return nil, false
		}
		from = named
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, false
	}
	if fragment == "" {
		return from, true
	}
	if !strings.HasPrefix(fragment, "/") {
		named, ok := p.named()["#"+fragment]
		return named, ok
	}
	if found, ok := p.walk(from, fragment, maxHops); ok {
		return found, true
	}
	if base == "" {
		return nil, false
	}
	return p.walk(p.doc, fragment, maxHops)
}

// walk follows a JSON pointer (RFC 6901). Where it meets a reference and not
// what it looks for, it goes on behind the reference.
func (p *parser) walk(at any, pointer string, hops int) (any, bool) {
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if !p.work.spend(1) {
			return nil, false
		}
		next, ok := child(at, token)
		for !ok && hops > 0 {
			hops--
			if at, ok = p.behind(at, hops); !ok {
				break
			}
			next, ok = child(at, token)
		}
		if !ok {
			return nil, false
		}
		at = next
	}
	switch at.(type) {
	case map[string]any, bool:
		return at, true
	}
	return nil, false
}

// behind returns what the reference at refers to, if it is one that the document
// holds under a pointer.
func (p *parser) behind(at any, hops int) (any, bool) {
	m, _ := at.(map[string]any)
	ref, _ := m["$ref"].(string)
	fragment, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if !local || err != nil || !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	return p.walk(p.doc, pointer, hops)
}

func child(at any, token string) (any, bool) {
	switch at := at.(type) {
	case map[string]any:
		v, ok := at[token]
		return v, ok
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(at) {
			return at[i], true
		}
	}
	return nil, false
}

// named returns the schemas of the document that have a name: "#anchor", or an
// $id without its empty fragment.
func (p *parser) named() map[string]any {
	if p.names == nil {
		p.names = map[string]any{}
		p.nameAll(p.doc)
	}
	return p.names
}

func (p *parser) nameAll(v any) {
	if !p.work.spend(1) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[key].(string); ok {
				p.name("#"+name, v)
			}
		}
		for _, key := range []string{"$id", "id"} { // "id" is draft 4
			if name, ok := v[key].(string); ok {
				p.name(strings.TrimSuffix(name, "#"), v)
			}
		}
		for _, key := range sortedKeys(v) {
			p.nameAll(v[key])
		}
	case []any:
		for _, e := range v {
			p.nameAll(e)
		}
	}
}

// name gives a schema a name; the first one keeps it.
func (p *parser) name(name string, schema map[string]any) {
	if _, taken := p.names[name]; !taken {
		p.names[name] = schema
	}
}

// refName is how a model is told what a reference refers to: the last part
// of its pointer.
func refName(ref string) string {
	fragment := ref[strings.IndexByte(ref, '#')+1:]
	if i := strings.LastIndexByte(fragment, '/'); i >= 0 {
		fragment = fragment[i+1:]
	}
	if name, err := url.PathUnescape(fragment); err == nil {
		fragment = name
	}
	return cutText(strings.ReplaceAll(strings.ReplaceAll(fragment, "~1", "/"), "~0", "~"), maxPhrase)
}
