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
	d := nullDropper{root: p.schema, objects: map[string]nullableObject{}}
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
	root    any
	objects map[string]nullableObject
}

type nullableObject struct {
	properties map[string]any
	droppable  map[string]bool // those whose null stands for "not given"
}

func (d *nullDropper) drop(v, schema any, path string, depth int) {
	if depth == maxSchemaDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		o := d.object(schema, path)
		for name, value := range v {
			property, declared := o.properties[name]
			switch {
			case !declared:
			case value != nil:
				d.drop(value, property, path+"/"+strconv.Quote(name), depth+1)
			case o.droppable[name]:
				delete(v, name)
			}
		}
	case []any:
		r := schemaReader{root: d.root}
		if items := r.items(schema); items != nil {
			for _, value := range v {
				d.drop(value, items, path+"/[]", depth+1)
			}
		}
	}
}

func (d *nullDropper) object(schema any, path string) nullableObject {
	if o, ok := d.objects[path]; ok {
		return o
	}
	r := schemaReader{root: d.root}
	o := r.object(schema)
	n := nullableObject{properties: o.properties, droppable: map[string]bool{}}
	for name, property := range o.properties {
		n.droppable[name] = !slices.Contains(o.required, name) && r.types(property, 0)&typeNull == 0
	}
	d.objects[path] = n
	return n
}
