package adapters

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// maxWords bounds a schema in words, in bytes, and maxWordsAbout what is said
	// about one property in the server's own words.
	maxWords      = 6000
	maxWordsAbout = 300
)

// wordsForArguments puts the schema of a tool's arguments into words for models
// that are shown nothing but text: a line for each property, the required ones
// first.
//
//	The input is a JSON object with these properties:
//	  "city": string, required. The city to ask for.
//	  "filters": array of ({field: string, op?: "eq" | "ne"}).
//	A "?" marks what may be left out.
//
// The result is bounded, and a server's words and names break no line.
func wordsForArguments(schema any) string {
	root, work := parseSchema(plainSchema(schema))
	n := merger{work}.arguments(root)
	names := slices.DeleteFunc(slices.Clone(n.required), func(name string) bool { return n.properties[name] == nil })
	for _, name := range sortedKeys(n.properties) {
		if !slices.Contains(n.required, name) {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return n.properties[name].never })

	var b strings.Builder
	if len(names) == 0 {
		b.WriteString("The input is a JSON object")
		if n.closed {
			b.WriteString(": {}")
		}
		b.WriteString(".")
	} else {
		b.WriteString("The input is a JSON object with these properties:")
	}
	marks := false
	for i, name := range names {
		line := "\n  " + wordsForProperty(name, n.properties[name], slices.Contains(n.required, name))
		if b.Len()+len(line) > maxWords {
			fmt.Fprintf(&b, "\n  and %d more", len(names)-i)
			break
		}
		b.WriteString(line)
		marks = marks || strings.Contains(describeNode(n.properties[name]), "?")
	}
	if marks {
		b.WriteString("\nA \"?\" marks what may be left out.")
	}
	if n.additional != nil && !n.additional.never {
		b.WriteString("\nOther properties: " + describeNode(n.additional) + ".")
	}
	for _, note := range n.notes {
		b.WriteString("\n" + oneLine(cutText(note, 2*maxSentence)))
	}
	return plain(b.String())
}

func wordsForProperty(name string, n *node, required bool) string {
	details := append([]string{describeNode(n)}, n.facets.phrases()...)
	if required {
		details = append(details, "required")
	}
	if n.defaulted {
		details = append(details, "default "+briefText(n.fallback))
	}
	text := quoteText(name) + ": " + strings.Join(details, ", ") + "."
	if about := firstText(n.description, n.title); about != "" {
		text += " " + cutText(about, maxWordsAbout)
	}
	return oneLine(text)
}
