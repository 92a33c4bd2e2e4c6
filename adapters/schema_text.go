package adapters

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds on what is put into words, in bytes, and on how many things are
// listed.
const (
	maxPhrase   = 120
	maxSentence = 600
	maxSamples  = 8
)

// describeNode puts a node into a short type expression as TypeScript has it,
// which models read well: {kind: "circle", radius?: number} | string[].
func describeNode(n *node) string {
	var w describer
	w.node(n, 0)
	return cutText(w.text.String(), maxSentence)
}

type describer struct{ text strings.Builder }

// full reports whether what follows would be cut anyway.
func (w *describer) full() bool { return w.text.Len() > maxSentence }

func (w *describer) node(n *node, depth int) {
	if w.full() {
		return
	}
	var options []func()
	switch {
	case n.enum != nil:
		for _, v := range n.enum[:min(len(n.enum), 4*maxSamples)] {
			options = append(options, func() { w.text.WriteString(briefText(v)) })
		}
		if len(n.enum) > len(options) {
			options = append(options, func() { w.text.WriteString("…") })
		}
	case n.alternates != nil:
		for _, v := range n.alternates[:min(len(n.alternates), 2*maxSamples)] {
			options = append(options, func() { w.node(v, depth) })
		}
	case n.types == 0:
		options = append(options, func() { w.text.WriteString("any") })
	default:
		for _, t := range typeList(n.types) {
			options = append(options, func() { w.oneType(n, t, depth) })
		}
	}
	if n.nullable {
		options = append(options, func() { w.text.WriteString("null") })
	}
	for i, option := range options {
		if i > 0 {
			w.text.WriteString(" | ")
		}
		option()
	}
}

func (w *describer) oneType(n *node, t typeSet, depth int) {
	const deepest = 3
	switch {
	case t == typeArray && n.items != nil && depth < deepest:
		w.text.WriteString("array of (")
		w.node(n.items, depth+1)
		w.text.WriteString(")")
	case t == typeObject && depth < deepest && (len(n.properties) > 0 || len(n.required) > 0):
		w.object(n, depth)
	case t == typeObject && n.additional != nil && !n.additional.unconstrained() && depth < deepest:
		w.text.WriteString("object with values (")
		w.node(n.additional, depth+1)
		w.text.WriteString(")")
	default:
		w.text.WriteString(typeName(t))
	}
}

func (w *describer) object(n *node, depth int) {
	names := slices.Clone(n.required)
	names = slices.DeleteFunc(names, func(name string) bool { return n.properties[name] != nil && n.properties[name].never })
	for _, name := range sortedKeys(n.properties) {
		if !slices.Contains(n.required, name) && !n.properties[name].never {
			names = append(names, name)
		}
	}
	w.text.WriteString("{")
	for i, name := range names {
		if w.full() {
			return
		}
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.text.WriteString(memberName(name))
		if !slices.Contains(n.required, name) {
			w.text.WriteString("?")
		}
		if property := n.properties[name]; property != nil {
			w.text.WriteString(": ")
			w.node(property, depth+1)
		}
	}
	w.text.WriteString("}")
}

// memberName returns a name as TypeScript has it, in quotes where it is none of
// letters.
func memberName(name string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
	if name == "" || len(name) > maxPhrase || strings.Trim(name, letters) != "" {
		return quoteText(name)
	}
	return name
}

// alternativesNote tells what a union allows. It says nothing when the
// alternatives read the same.
func alternativesNote(n *node) string {
	var texts []string
	add := func(v *node) {
		text := describeNode(v)
		if about := firstText(v.description, v.title); about != "" {
			text += " (" + oneLine(cutText(about, maxPhrase)) + ")"
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if n.alternates == nil {
		for _, v := range splitTypes(n) {
			c := *v
			c.title, c.description, c.nullable = "", "", false
			add(&c)
		}
	}
	for _, v := range n.alternates[:min(len(n.alternates), 2*maxSamples)] {
		add(v)
	}
	if len(texts) < 2 {
		return ""
	}
	return "One of: " + cutText(strings.Join(texts, " | "), 2*maxSentence) + "."
}

// valueMeanings tells what the values of a union of values stand for, as far as
// they have titles or descriptions.
func valueMeanings(variants []*node) string {
	var texts []string
	for _, v := range variants {
		about := firstText(v.description, v.title)
		if len(v.enum) != 1 || about == "" || about == v.enum[0] {
			continue
		}
		texts = append(texts, briefText(v.enum[0])+": "+oneLine(cutText(about, maxPhrase)))
		if len(texts) == 4*maxSamples {
			break
		}
	}
	return cutText(strings.Join(texts, "; "), 2*maxSentence)
}

// valuesNote tells the values of an enum that a provider does not take.
func valuesNote(values []any) string {
	if len(values) == 1 {
		return "Always " + briefText(values[0]) + "."
	}
	return "One of: " + describeNode(&node{enum: values}) + "."
}

// phrases puts facets into words.
func (a facets) phrases() []string {
	var phrases []string
	for _, name := range sortedKeys(a) {
		phrases = append(phrases, facetTable[name].say(a[name]))
	}
	return phrases
}

func constraintsNote(phrases []string) string {
	return "Constraints: " + strings.Join(phrases, ", ") + "."
}

// briefText writes a plain value as JSON, cut to maxPhrase.
func briefText(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(brief(v, 0)) // plain values always encode
	return cutText(strings.TrimSuffix(b.String(), "\n"), maxPhrase)
}

// brief returns as much of a plain value as fits, so that a large one does not
// take long.
func brief(v any, depth int) any {
	const deepest = 4
	switch v := v.(type) {
	case string:
		return cutText(v, maxPhrase)
	case []any:
		if depth == deepest {
			return "…"
		}
		list := make([]any, 0, maxSamples)
		for _, e := range v[:min(len(v), maxSamples)] {
			list = append(list, brief(e, depth+1))
		}
		return list
	case map[string]any:
		if depth == deepest || len(v) > maxPhrase {
			return "…"
		}
		m := make(map[string]any, maxSamples)
		for _, name := range sortedKeys(v)[:min(len(v), maxSamples)] {
			m[cutText(name, maxPhrase)] = brief(v[name], depth+1)
		}
		return m
	default:
		return v
	}
}

func quoteText(s string) string { return briefText(s) }

// cutText cuts s to at most limit bytes, at a character, and marks the cut.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	cut := limit - len(mark)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}
