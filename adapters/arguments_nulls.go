package adapters

import (
	"slices"
	"strconv"
)

// dropNulls removes from args, which it changes, the nulls that stand for "not
// given".
func (p *parameters) dropNulls(args map[string]any) {
	if !hasNull(args) {
		return
	}
	d := nullDropper{reader: schemaReader{root: p.schema}, seen: map[string]nullsAt{}}
	d.drop(args, p.schema, "", 0)
}

func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, e := range v {
			if hasNull(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// A nullDropper remembers what it read of the schema by the path to it, since
// the elements of a long array share theirs.
type nullDropper struct {
	reader schemaReader
	seen   map[string]nullsAt
}

type nullsAt struct {
	properties map[string]any
	droppable  map[string]bool // the properties whose null stands for "not given"
	items      any
}

func (d *nullDropper) drop(v, schema any, path string, depth int) {
	if schema == nil || depth == maxSchemaDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		at := d.at(schema, path)
		for name, value := range v {
			if value == nil && at.droppable[name] {
				delete(v, name)
			} else {
				d.drop(value, at.properties[name], path+"/"+strconv.Quote(name), depth+1)
			}
		}
	case []any:
		items := d.at(schema, path).items
		for _, value := range v {
			d.drop(value, items, path+"/[]", depth+1)
		}
	}
}

func (d *nullDropper) at(schema any, path string) nullsAt {
	if at, ok := d.seen[path]; ok {
		return at
	}
	o := d.reader.object(schema)
	at := nullsAt{properties: o.properties, droppable: map[string]bool{}, items: d.reader.items(schema)}
	for name, property := range o.properties {
		if _, required := o.required[name]; !required {
			at.droppable[name] = d.reader.types(property, 0)&typeNull == 0
		}
	}
	d.seen[path] = at
	return at
}
