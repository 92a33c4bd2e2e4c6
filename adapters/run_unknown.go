package adapters

import (
	"errors"
	"slices"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/internal/edits"
)

const (
	// maxNamed is how many names of tools an unknown one is answered with.
	maxNamed = 40

	// maxSuggested is how many names are suggested.
	maxSuggested = 3
)

// noSuchTool returns what a model is told that calls a tool which is not there.
func (b *toolbox) noSuchTool(name string) error {
	var s strings.Builder
	s.WriteString("there is no tool " + quoted(name) + ".")
	if near := NearNames(name, b.order); near != nil {
		s.WriteString(" Did you mean " + strings.Join(near, " or ") + "?")
	}
	switch n := len(b.order); {
	case n == 0:
		s.WriteString(" There are no tools at all.")
	case n <= maxNamed:
		s.WriteString(" The tools are: " + strings.Join(b.order, ", ") + ".")
	default:
		s.WriteString(" Some of the tools are: " + strings.Join(b.order[:maxNamed], ", ") + ".")
	}
	return errors.New(s.String())
}

// NearNames returns those of names that whoever wrote name may have meant, three
// at most and the best first: those that differ in case and separators only, those
// that name is an end or the beginning of, or the other way round (a prefix was
// forgotten or made up), and those with few letters changed. The words that both
// begin with, such as the name of a server, do not count. Nil means that none comes
// near.
func NearNames(name string, names []string) []string {
	type match struct {
		name     string
		distance int
	}
	var near []match
	wanted := letters(prefix(name, maxQuoted))
	if wanted == "" {
		return nil
	}
	for _, candidate := range names {
		have := letters(prefix(candidate, 2*maxQuoted))
		ownWanted, ownHave := apart(prefix(name, maxQuoted), prefix(candidate, 2*maxQuoted))
		most := max(1, min(len(ownWanted), len(ownHave))/3)
		d := edits.Between(wanted, have, most)
		switch {
		case d == 0:
		case contained(wanted, have), contained(ownWanted, ownHave):
			d = 1
		case d > most:
			continue
		}
		near = append(near, match{candidate, d})
	}
	slices.SortStableFunc(near, func(a, b match) int { return a.distance - b.distance })
	var best []string
	for _, m := range near[:min(len(near), maxSuggested)] {
		best = append(best, m.name)
	}
	return best
}

// contained reports whether one of two names ends or begins with the other.
func contained(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 3 && (strings.HasSuffix(b, a) || strings.HasPrefix(b, a))
}

// apart returns the letters of two names after the words that both begin with.
func apart(a, b string) (string, string) {
	words := func(name string) []string {
		return strings.FieldsFunc(name, func(r rune) bool { return letters(string(r)) == "" })
	}
	one, other := words(a), words(b)
	for len(one) > 0 && len(other) > 0 && strings.EqualFold(one[0], other[0]) {
		one, other = one[1:], other[1:]
	}
	return letters(strings.Join(one, "")), letters(strings.Join(other, ""))
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127 {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
