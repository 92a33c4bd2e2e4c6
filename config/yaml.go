package config

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseYAML reads one document of YAML. Aliases and merge keys are followed
// here, so that what they make is counted.
func parseYAML(data []byte) (*node, *syntaxError) {
	var document yaml.Node
	if err := yaml.Load(data, &document); err != nil {
		return nil, yamlError(data, err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, &syntaxError{problem: "holds no document"}
	}
	r := yamlReader{budget: maxNodes, open: map[*yaml.Node]bool{}}
	return r.node(document.Content[0], 0)
}

func yamlError(data []byte, err error) *syntaxError {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &syntaxError{problem: "is not YAML"}
	}
	at := position{line: load.Mark.Line, column: load.Mark.Column}
	if strings.Contains(load.Message, "no documents in stream") || at.line == 0 && len(strings.TrimSpace(string(data))) == 0 {
		return &syntaxError{`is empty: write "mcpServers: {}" if there are to be no servers`, at}
	}
	problem := printable(strings.TrimPrefix(load.Message, "yaml: "))
	if load.ContextMsg != "" {
		problem = load.ContextMsg + ": " + problem
	}
	for _, hint := range yamlHints {
		if strings.Contains(load.Message, hint.says) {
			problem = hint.means
			break
		}
	}
	if strings.Contains(load.Message, "cannot start any token") && tabAt(data, at) {
		problem = "is indented by a tab: YAML takes only spaces"
	}
	return &syntaxError{problem, at}
}

// yamlHints say more than the parser does of what goes wrong most.
var yamlHints = []struct{ says, means string }{
	{"unknown anchor", `holds an alias ("*name") of an anchor ("&name") that is not there: put a text that begins with "*" in quotes`},
	{"did not find expected key", "something begins in another column than what it belongs to: look at the indentation of this line and of those before it"},
	{"mapping values are not allowed", `a ":" where no key can be: look at the indentation of this line and of the one before it, or put the text in quotes`},
	{"cannot start any token", "begins with a character that no text can begin with: put it in quotes"},
	{"expected single document", `holds several documents: keep one, and no line "---" after it`},
}

// tabAt reports whether there is a tab where a token should begin.
func tabAt(data []byte, at position) bool {
	line := 1
	for text := range strings.Lines(string(data)) {
		if line == at.line {
			runes := []rune(text)
			return at.column >= 1 && at.column <= len(runes) && runes[at.column-1] == '\t'
		}
		line++
	}
	return false
}

type yamlReader struct {
	budget int
	open   map[*yaml.Node]bool // aliases that are being followed
}

func (r *yamlReader) node(y *yaml.Node, depth int) (*node, *syntaxError) {
	n := &node{at: position{line: y.Line, column: y.Column}}
	r.budget--
	if err := bounded(n.at, depth, r.budget); err != nil {
		return nil, err
	}
	switch y.Kind {
	case yaml.AliasNode:
		return r.alias(y, n.at, depth)
	case yaml.SequenceNode:
		n.kind = kindArray
		for _, element := range y.Content {
			child, err := r.node(element, depth+1)
			if err != nil {
				return nil, err
			}
			n.elements = append(n.elements, child)
		}
		return n, nil
	case yaml.MappingNode:
		n.kind = kindObject
		if err := r.mapping(n, y, depth); err != nil {
			return nil, err
		}
		return n, nil
	default:
		n.kind, n.text = yamlScalar(y)
		return n, nil
	}
}

// alias reads what an alias stands for, at the place of the alias.
func (r *yamlReader) alias(y *yaml.Node, at position, depth int) (*node, *syntaxError) {
	if y.Alias == nil || r.open[y.Alias] {
		return nil, &syntaxError{"is an alias of what it is part of", at}
	}
	r.open[y.Alias] = true
	defer delete(r.open, y.Alias)
	n, err := r.node(y.Alias, depth+1)
	if err != nil {
		err.at = at
		return nil, err
	}
	n.at = at
	return n, nil
}

func (r *yamlReader) mapping(n *node, y *yaml.Node, depth int) *syntaxError {
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		at := position{line: key.Line, column: key.Column}
		child, err := r.node(value, depth+1)
		if err != nil {
			return err
		}
		switch {
		case key.ShortTag() == "!!merge":
			merged = append(merged, child)
		case key.Kind == yaml.ScalarNode:
			n.members = append(n.members, member{key.Value, at, child})
		case key.Kind == yaml.AliasNode && key.Alias != nil && key.Alias.Kind == yaml.ScalarNode:
			n.members = append(n.members, member{key.Alias.Value, at, child})
		default:
			return &syntaxError{"a key is no string", at}
		}
	}
	if len(merged) == 0 {
		return nil
	}
	own := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		own[m.key] = true
	}
	for _, from := range merged {
		if err := r.merge(n, own, from); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the keys of what follows "<<" that the mapping does not have.
func (r *yamlReader) merge(n *node, own map[string]bool, from *node) *syntaxError {
	switch from.kind {
	case kindObject:
		for _, m := range from.members {
			r.budget--
			if err := bounded(from.at, 0, r.budget); err != nil {
				return err
			}
			if !own[m.key] {
				own[m.key] = true
				n.members = append(n.members, m)
			}
		}
	case kindArray:
		for _, element := range from.elements {
			if element.kind != kindObject {
				return &syntaxError{`"<<" expects mappings, found ` + element.kind, element.at}
			}
			if err := r.merge(n, own, element); err != nil {
				return err
			}
		}
	default:
		return &syntaxError{`"<<" expects a mapping, found ` + from.kind, from.at}
	}
	return nil
}

func yamlScalar(y *yaml.Node) (kind, text string) {
	switch y.ShortTag() {
	case "!!null":
		return kindNull, y.Value
	case "!!bool":
		return kindBoolean, strings.ToLower(y.Value)
	case "!!int", "!!float":
		return kindNumber, y.Value
	default: // Dates, for one, are texts that look like dates.
		return kindString, y.Value
	}
}
