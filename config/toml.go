package config

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads TOML. The decoder finds the faults, duplicate keys and tables
// among them; the parser below it knows where each key is.
func parseTOML(data []byte) (*node, *syntaxError) {
	var whole map[string]any
	if err := toml.Unmarshal(data, &whole); err != nil {
		return nil, tomlError(data, err)
	}
	root := &node{kind: kindObject}
	r := tomlReader{root: root, table: root, tables: map[tableKey]*node{}, budget: maxNodes}
	r.parser.Reset(data)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := r.parser.Error(); err != nil {
		return nil, tomlError(data, err)
	}
	return root, nil
}

func tomlError(data []byte, err error) *syntaxError {
	// Keys are in these messages, values are not.
	problem := printable(strings.TrimPrefix(err.Error(), "toml: "))
	if strings.HasPrefix(problem, "unable to parse float") {
		problem = "is no number"
	}
	var at position
	if decode, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := decode.Position()
		at = atByte(data, line, column)
	}
	return &syntaxError{problem, at}
}

type tomlReader struct {
	parser unstable.Parser
	root   *node
	table  *node // that the next keys belong to
	tables map[tableKey]*node
	budget int
}

// A tableKey is a key of a table that may be named again.
type tableKey struct {
	in  *node
	key string
}

// child returns what a key of a table holds, an empty node of the kind if it
// is not there yet.
func (r *tomlReader) child(in *node, key *unstable.Node, kind string) *node {
	k := tableKey{in, string(key.Data)}
	if r.tables[k] == nil {
		at := position{offset: int(key.Raw.Offset)}
		r.tables[k] = &node{kind: kind, at: at}
		in.members = append(in.members, member{k.key, at, r.tables[k]})
	}
	return r.tables[k]
}

func (r *tomlReader) expression(e *unstable.Node) *syntaxError {
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		table, err := r.descend(r.root, e.Key(), e.Kind == unstable.ArrayTable)
		r.table = table
		return err
	case unstable.KeyValue:
		return r.keyValue(r.table, e, 0)
	default:
		return nil
	}
}

// descend returns the table of a dotted key, which it makes where it is not
// there. The last part of the header of an array makes an element of it.
func (r *tomlReader) descend(from *node, key unstable.Iterator, array bool) (*node, *syntaxError) {
	for depth := 1; key.Next(); depth++ {
		k := key.Node()
		at := position{offset: int(k.Raw.Offset)}
		r.budget--
		if err := bounded(at, depth, r.budget); err != nil {
			return nil, err
		}
		kind := kindObject
		if array && key.IsLast() {
			kind = kindArray
		}
		from = r.child(from, k, kind)
		if from.kind == kindArray {
			if array && key.IsLast() || len(from.elements) == 0 {
				from.elements = append(from.elements, &node{kind: kindObject, at: at})
			}
			from = from.elements[len(from.elements)-1]
		}
	}
	return from, nil
}

func (r *tomlReader) keyValue(table *node, e *unstable.Node, depth int) *syntaxError {
	key := e.Key()
	var parts []*unstable.Node
	for key.Next() {
		parts = append(parts, key.Node())
	}
	for i, k := range parts {
		at := position{offset: int(k.Raw.Offset)}
		if i == len(parts)-1 {
			value, err := r.value(e.Value(), at, depth+i+1)
			if err != nil {
				return err
			}
			table.members = append(table.members, member{string(k.Data), at, value})
			break
		}
		table = r.child(table, k, kindObject)
	}
	return nil
}

// value reads a value. near stands in for the position of tables and arrays,
// which the parser does not tell.
func (r *tomlReader) value(v *unstable.Node, near position, depth int) (*node, *syntaxError) {
	n := &node{at: near}
	if v.Raw.Length > 0 {
		n.at = position{offset: int(v.Raw.Offset)}
	}
	r.budget--
	if err := bounded(n.at, depth, r.budget); err != nil {
		return nil, err
	}
	switch v.Kind {
	case unstable.String:
		n.kind, n.text = kindString, string(v.Data)
	case unstable.Bool:
		n.kind, n.text = kindBoolean, string(v.Data)
	case unstable.Integer, unstable.Float:
		n.kind, n.text = kindNumber, string(v.Data)
	case unstable.Array:
		n.kind = kindArray
		for it := v.Children(); it.Next(); {
			child, err := r.value(it.Node(), n.at, depth+1)
			if err != nil {
				return nil, err
			}
			n.elements = append(n.elements, child)
		}
	case unstable.InlineTable:
		n.kind = kindObject
		for it := v.Children(); it.Next(); {
			if err := r.keyValue(n, it.Node(), depth+1); err != nil {
				return nil, err
			}
		}
	default:
		n.kind, n.text = kindOther, string(v.Data)
	}
	return n, nil
}
