package config

// A position is a place in a file. Which of its fields are set is up to the
// format: the parser of YAML gives lines and columns, the others offsets, of
// which a [locator] makes lines and columns when they are needed.
type position struct {
	offset       int // in bytes, from 0
	line, column int // from 1, the column in characters; 0 means: see offset
}

// The kinds of a node, named as messages name them.
const (
	kindObject  = "object"
	kindArray   = "array"
	kindString  = "string"
	kindNumber  = "number"
	kindBoolean = "boolean"
	kindNull    = "null"
	kindOther   = "date" // of TOML
)

// A node is a value of a file, whichever format that has.
type node struct {
	kind     string
	text     string // the characters of a string, another scalar as it is written
	at       position
	members  []member // of an object, in order and with duplicates
	elements []*node  // of an array
}

// A member is a key of an object and what it holds.
type member struct {
	key string
	at  position // of the key
	*node
}

// find returns the first member of the name.
func (n *node) find(key string) (member, bool) {
	for _, m := range n.members {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// Bounds of a document. What people and hosts write is far below.
const (
	maxDepth = 100
	maxNodes = 100_000
)

// eachDuplicate calls f for each member whose key an earlier one has, with the
// indexes of both.
func eachDuplicate(members []member, f func(first, again int)) {
	seen := make(map[string]int, len(members))
	for i, m := range members {
		if first, ok := seen[m.key]; ok {
			f(first, i)
			continue
		}
		seen[m.key] = i
	}
}
