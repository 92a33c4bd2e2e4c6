package adapters

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxName is the longest exposed name, in bytes: the shortest limit among the
// providers.
const maxName = 64

// A Named is a tool as its server calls it.
type Named struct{ Server, Tool string }

// A CollisionPolicy says what happens when tools of several servers have the
// same name, ignoring case, and names are not prefixed.
type CollisionPolicy string

const (
	// CollisionError, the default, leaves all tools concerned out, with an error
	// that names them. The others stay.
	CollisionError CollisionPolicy = "error"

	// CollisionPrefix prefixes the names of the tools concerned, each with its
	// server, and leaves the others alone.
	CollisionPrefix CollisionPolicy = "prefix"

	// CollisionFirst keeps the tool of the server that comes first and drops
	// those of the others.
	CollisionFirst CollisionPolicy = "first"
)

// NameOptions say how tools are named. The zero value gives tools the names that
// their servers give them, as far as providers accept these.
type NameOptions struct {
	// Prefix puts the server's name and the separator before each name.
	Prefix bool

	// Separator stands between server and tool in a prefixed name: letters,
	// digits, "_" and "-", at most 8 of them. Empty means "_".
	Separator string

	// Collision says what to do about equal names; it has no effect when Prefix
	// is set. Empty means CollisionError.
	Collision CollisionPolicy
}

// AssignNames returns the names under which tools are shown to a model, in the
// order of tools. A tool that gets the empty name is to be left out.
//
// Each name matches ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$, which OpenAI, Anthropic and
// Gemini all accept, and no two are equal, ignoring case, since langchaingo's
// executor ignores it.
//
// A name depends on its tool alone, except where tools compete for it: neither
// on other tools, nor on their order, nor on the machine. Characters that may
// not occur become "_". A name that is too long is cut, and eight digits of a
// hash of server and tool are put at its end. When different names become the
// same in this way, or when a server has names that differ in case only, those
// that had to be changed (all of them, if none or several had not) get a hash
// too, which never fails.
//
// What fails, or is decided by [NameOptions.Collision], is two servers that have
// a tool of the same name: the error, which comes with the names, joins an [*Error]
// of the kind [ErrNameCollision] for each tool of a name but the first. Both get the
// empty name then, and no other tool gets theirs. A tool that one server lists twice
// keeps its first place and gets the empty name at the others, since the server
// cannot tell them apart. Unusable options are an error of the kind [ErrBadOption],
// without names.
func AssignNames(tools []Named, opts NameOptions) ([]string, error) {
	opts, err := opts.normal()
	if err != nil {
		return nil, err
	}
	candidates := make([]*candidate, 0, len(tools))
	seen := make(map[Named]bool, len(tools))
	for i, tool := range tools {
		if !seen[tool] {
			seen[tool] = true
			candidates = append(candidates, newCandidate(i, tool, opts.Prefix, opts.Separator))
		}
	}
	if !opts.Prefix {
		candidates, err = settleCollisions(candidates, opts)
	}
	disambiguate(candidates)
	names := make([]string, len(tools))
	for _, c := range candidates {
		if !c.collides {
			names[c.index] = c.name
		}
	}
	return names, err
}

func (o NameOptions) normal() (NameOptions, error) {
	bad := func(format string, args ...any) (NameOptions, error) {
		return o, &Error{Kind: ErrBadOption, Err: fmt.Errorf(format, args...)}
	}
	const maxSeparator = 8
	if o.Separator == "" {
		o.Separator = "_"
	}
	if clean, exact := legalCharacters(o.Separator); !exact || len(clean) > maxSeparator {
		return bad("separator %s: use at most %d letters, digits, '_' or '-'", quoted(o.Separator), maxSeparator)
	}
	switch o.Collision {
	case "":
		o.Collision = CollisionError
	case CollisionError, CollisionPrefix, CollisionFirst:
	default:
		return bad("collision policy %s: use %q, %q or %q", quoted(string(o.Collision)), CollisionError, CollisionPrefix, CollisionFirst)
	}
	return o, nil
}

// A candidate is a tool on its way to a name.
type candidate struct {
	index    int // among the tools
	tool     Named
	name     string // legal, but perhaps not the only one of its kind
	exact    bool   // name is what the tool is called, unchanged
	long     bool   // name was cut and needs a hash
	collides bool   // it gets no name, and no other gets its
}

func newCandidate(index int, tool Named, prefix bool, separator string) *candidate {
	c := &candidate{index: index, tool: tool}
	full := tool.Tool
	if prefix {
		full = tool.Server + separator + tool.Tool
	}
	c.name, c.exact = legalName(full)
	c.long = len(c.name) > maxName
	return c
}

// key is equal for names that differ in case only.
func (c *candidate) key() string { return strings.ToLower(c.name) }

// settleCollisions applies the policy to tools of several servers that have the
// same name, and returns those that compete for names.
func settleCollisions(candidates []*candidate, opts NameOptions) ([]*candidate, error) {
	groups := make(map[string][]*candidate, len(candidates))
	for _, c := range candidates {
		key := strings.ToLower(c.tool.Tool)
		groups[key] = append(groups[key], c)
	}
	var kept []*candidate
	var collisions []error
	for _, c := range candidates {
		group := groups[strings.ToLower(c.tool.Tool)]
		first := group[0].tool
		other := slices.IndexFunc(group, func(o *candidate) bool { return o.tool.Server != c.tool.Server })
		switch {
		case other < 0:
			kept = append(kept, c)
		case opts.Collision == CollisionPrefix:
			prefixed := newCandidate(c.index, c.tool, true, opts.Separator)
			prefixed.exact = false // a tool that is really called so goes first
			kept = append(kept, prefixed)
		case opts.Collision == CollisionError:
			c.collides = true
			kept = append(kept, c)
			if c.tool.Server != first.Server {
				collisions = append(collisions, &Error{
					Kind: ErrNameCollision, Server: c.tool.Server, Tool: c.tool.Tool,
					OtherServer: first.Server, OtherTool: first.Tool, Err: errLeftOut,
				})
			}
		case c.tool.Server == first.Server:
			kept = append(kept, c)
		}
	}
	return kept, errors.Join(collisions...)
}

var errLeftOut = errors.New("both are left out: prefix tool names with their server (multiclient: Options.ToolNamePrefix), or choose another collision policy (multiclient: Options.Collisions)")

// disambiguate makes the names unique.
func disambiguate(candidates []*candidate) {
	groups := make(map[string][]*candidate, len(candidates))
	for _, c := range candidates {
		groups[c.key()] = append(groups[c.key()], c)
	}
	taken := make(map[string]bool, len(candidates))
	var hashed []*candidate
	for key, group := range groups {
		exact := 0
		for _, c := range group {
			if c.exact {
				exact++
			}
		}
		for _, c := range group {
			if !c.long && (len(group) == 1 || c.exact && exact == 1) {
				taken[key] = true
			} else {
				hashed = append(hashed, c)
			}
		}
	}
	// In an order of their own, so that it does not matter which came first.
	slices.SortFunc(hashed, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.tool.Server, b.tool.Server), cmp.Compare(a.tool.Tool, b.tool.Tool))
	})
	for _, c := range hashed {
		c.addHash(taken)
		taken[c.key()] = true
	}
}

// addHash ends the name with a hash of the tool. It is another or a longer one
// than usual only where someone has contrived a name that is already taken.
func (c *candidate) addHash(taken map[string]bool) {
	base := c.name
	for salt := ""; ; salt += "\x00" {
		sum := sha256.Sum256([]byte(c.tool.Server + "\x00" + c.tool.Tool + salt))
		for _, digits := range []int{8, 16} {
			hash := "_" + hex.EncodeToString(sum[:])[:digits]
			c.name = base[:min(len(base), maxName-len(hash))] + hash
			if !taken[c.key()] {
				return
			}
		}
	}
}

// legalName returns a name of any length that is otherwise legal, and whether
// it is unchanged.
func legalName(s string) (name string, exact bool) {
	name, exact = legalCharacters(s)
	if name == "" || name[0] == '-' || name[0] >= '0' && name[0] <= '9' {
		return "_" + name, false
	}
	return name, exact
}

// legalCharacters replaces each character that no name may have.
func legalCharacters(s string) (legal string, exact bool) {
	exact = true
	legal = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		exact = false
		return '_'
	}, s)
	return legal, exact
}
