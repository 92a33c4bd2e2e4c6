package adapters

import (
	"slices"
	"strings"
)

// A spelling says where a schema of one type each has a string that stands for
// values of several types: what is no string is written there as JSON. It has the
// shape of the schema. A nil spelling has none, and keeps none.
type spelling struct {
	here       typeSet // the types of the values; 0 if the string stands for itself
	texts      []any   // the only strings among the values; nil if any may be
	properties map[string]*spelling
	elements   *spelling
}

// note keeps what a node says of the place of s.
func (s *spelling) note(n *node) {
	if s != nil {
		s.here, s.texts = n.spells, n.texts
	}
}

// property returns the spelling of a property, which is made.
func (s *spelling) property(name string) *spelling {
	if s.properties == nil {
		s.properties = map[string]*spelling{}
	}
	p := &spelling{}
	s.properties[name] = p
	return p
}

// element returns the spelling of the elements of an array, which is made.
func (s *spelling) element(string) *spelling {
	s.elements = &spelling{}
	return s.elements
}

// enterSpelling makes the spelling of a schema inside the one that is being
// written the current one, until leave is called.
func (e *emitter) enterSpelling(make func(*spelling, string) *spelling, name string) (leave func()) {
	outer := e.spells
	if outer == nil {
		return func() {}
	}
	e.spells = make(outer, name)
	return func() { e.spells = outer }
}

// pruned returns s without the places where nothing is spelled, nil if there is
// no other.
func (s *spelling) pruned() *spelling {
	if s == nil {
		return nil
	}
	for name, p := range s.properties {
		if p.pruned() == nil {
			delete(s.properties, name)
		}
	}
	s.elements = s.elements.pruned()
	if s.here == 0 && len(s.properties) == 0 && s.elements == nil {
		return nil
	}
	return s
}

// read returns v with the values in place of the strings that spell them. It
// changes v. Text that is one of the values is itself. Where any text is, JSON of
// objects and arrays is read, and that of numbers, truth values and null stays text;
// what would be read and is meant as text is given as a JSON string.
func (s *spelling) read(v any) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		if s.here != 0 {
			return s.spelledBy(v)
		}
	case map[string]any:
		for name, p := range s.properties {
			if value, given := v[name]; given {
				v[name] = p.read(value)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = s.elements.read(e)
		}
	}
	return v
}

func (s *spelling) spelledBy(text string) any {
	if slices.Contains(s.texts, any(text)) {
		return text
	}
	v, rest, err := decodeFirst(strings.TrimSpace(text))
	if err != nil || rest != "" || typeOf(v)&s.here == 0 {
		return text
	}
	if s.here&typeString == 0 || s.texts != nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any, []any:
		return v
	case string:
		if inner, ok := s.spelledBy(v).(string); !ok || inner != v {
			return v
		}
	}
	return text
}
