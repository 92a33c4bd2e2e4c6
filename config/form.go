package config

import (
	"slices"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/internal/edits"
)

// A document is a file whose servers are found but not read.
type document struct {
	file    string // as faults name it
	folder  string // that relative paths in it start from; "" is the working directory
	dialect Dialect
	locator locator
	root    *node // all of it
	servers []member
	inputs  member // of VS Code; its node is nil if there are none
	left    map[string]string
	beside  []member // what looks like a server, but is not where they are
	yaml    bool     // what is inside of what shows by indentation
}

// indent says how something is put inside something else.
func (d *document) indent() string {
	if d.yaml {
		return ": indent it further"
	}
	return ""
}

// A formError says why it cannot be told where the servers are.
type formError struct {
	problem string
	at      position
}

// find finds the servers in a file. Which of the forms it has:
//
//   - With a key "mcpServers" or "mcp_servers" its servers are in there, and
//     everything else is the host's business.
//   - With a key "servers" they are in there as well, but that is also a name
//     that a server may have. It is the name of one if what it holds is a
//     connection, and it is refused to guess if another key holds one.
//   - With an "mcp" that holds "servers" they are in there.
//   - With nothing but a list of "inputs" there are none.
//   - Otherwise every key is the name of a server, except for "$schema"; but
//     where the dialect is that of a client that keeps its servers under one of
//     these keys, and none is a connection, there are none.
//
// A server called "mcpServers" is thus possible only inside "mcpServers".
func (d *document) find(root *node) *formError {
	if root.kind != kindObject {
		return &formError{`expected an object with "mcpServers", found ` + root.kind, root.at}
	}
	var standard, short, nested *member
	otherConnection := false
	var others []member
	for _, m := range root.members {
		switch {
		case camel(m.key) == "mcpServers":
			if standard != nil {
				return d.twice(m)
			}
			standard = &m
		case m.key == "servers":
			if short != nil {
				return d.twice(m)
			}
			short = &m
		case m.key == "mcp" && !isConnection(m.node):
			nested = &m
		case isConnection(m.node):
			otherConnection = true
			others = append(others, m)
		}
	}
	switch {
	case standard != nil && short != nil && !isConnection(short.node):
		return &formError{`both "` + standard.key + `" and "servers" are there: keep one`, short.at}
	case standard != nil && standard.kind == kindNull && otherConnection:
		return &formError{quote(others[0].key) + " is beside " + quote(standard.key) + ", which is empty: put it inside" + d.indent(), others[0].at}
	case standard != nil:
		d.guess(DialectOwn)
		if standard.key == "mcp_servers" {
			d.guess(DialectCodex)
		}
		if err := d.wrapped(*standard); err != nil {
			return err
		}
		if d.dialect == DialectOwn {
			d.guess(dialectOfServers(d.servers))
			d.beside = others
		}
		if nested != nil {
			d.allowed(nested.node)
		}
		return nil
	case short == nil && nested != nil && holdsServers(nested.node) && !otherConnection:
		d.guess(DialectVSCode)
		return d.vscode(nested.node)
	case len(root.members) == 1 && root.members[0].key == "inputs" && root.members[0].kind == kindArray:
		// VS Code leaves such a file behind when its last server is removed.
		d.guess(DialectVSCode)
		return d.vscode(root)
	case short == nil || isConnection(short.node):
		// Settings of a client that has no servers are no servers either.
		settings := short == nil && !otherConnection && d.dialect != "" && d.dialect != DialectLangChain && d.dialect != DialectOwn
		d.guess(DialectLangChain)
		switch err := d.bare(root); {
		case err != nil:
			return err
		case settings:
			d.servers = nil
		case len(d.servers) > 0 && !slices.ContainsFunc(root.members, mayBeServer):
			// It is a file of something else, and nothing of it is repeated.
			return &formError{`holds no servers: expected an object with "mcpServers", or one with an object for each server` + d.indent(), root.members[0].at}
		}
		return nil
	case otherConnection:
		return &formError{`"servers" holds the servers or is the name of one, but other keys hold servers too: put them all into "mcpServers"`, short.at}
	default:
		d.guess(DialectVSCode)
		return d.vscode(root)
	}
}

func (d *document) twice(m member) *formError {
	return &formError{quote(m.key) + " is there more than once", m.at}
}

// guess sets the dialect where it was not named. A later guess is a better one.
func (d *document) guess(dialect Dialect) {
	if d.dialect == "" || d.dialect == DialectOwn && dialect != DialectOwn {
		d.dialect = dialect
	}
}

func (d *document) wrapped(m member) *formError {
	switch m.kind {
	case kindObject:
		d.servers = m.members
	case kindNull:
	case kindArray:
		// Of Continue, for one.
		for _, element := range m.elements {
			name, ok := element.find("name")
			if !ok || name.kind != kindString {
				return &formError{quote(m.key) + `: a server of a list needs a "name"`, element.at}
			}
			d.servers = append(d.servers, member{name.text, element.at, element})
		}
	default:
		return &formError{quote(m.key) + ": expected an object, found " + m.kind, m.node.at}
	}
	return nil
}

// vscode reads "servers" and "inputs".
func (d *document) vscode(n *node) *formError {
	if inputs, ok := n.find("inputs"); ok && inputs.kind != kindNull {
		d.inputs = inputs
	}
	if servers, ok := n.find("servers"); ok {
		return d.wrapped(servers)
	}
	return nil
}

func (d *document) bare(root *node) *formError {
	for _, m := range root.members {
		if m.key == "$schema" && m.kind == kindString {
			continue
		}
		if !isConnection(m.node) && strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(m.key), "mcpServers") ||
			m.kind == kindObject && !isConnection(m.node) && edits.Between(m.key, "mcpServers", 2) <= 2 {
			return &formError{quote(m.key) + ` is no server: did you mean "mcpServers"?`, m.at}
		}
		d.servers = append(d.servers, m)
	}
	return nil
}

// allowed reads "mcp.allowed" and "mcp.excluded" of Gemini CLI.
func (d *document) allowed(n *node) {
	names := func(key string) (map[string]bool, bool) {
		m, ok := n.find(key)
		if !ok || m.kind != kindArray {
			return nil, false
		}
		listed := map[string]bool{}
		for _, element := range m.elements {
			listed[element.text] = true
		}
		return listed, true
	}
	allow, only := names("allowed")
	deny, some := names("excluded")
	if !only && !some {
		return
	}
	d.guess(DialectGeminiCLI)
	if d.dialect != DialectGeminiCLI {
		return
	}
	d.left = map[string]string{}
	for _, s := range d.servers {
		switch {
		case deny[s.key]:
			d.left[s.key] = "mcp.excluded"
		case only && !allow[s.key]:
			d.left[s.key] = "mcp.allowed"
		}
	}
}

// mayBeServer reports whether a member is a server, or what stands beside
// servers or has slipped out of one.
func mayBeServer(m member) bool {
	return m.kind == kindObject || m.key == "$schema" || known[canonical(m.key)]
}

func holdsServers(n *node) bool {
	m, ok := n.find("servers")
	return ok && !isConnection(m.node)
}

// isConnection tells a connection from a map of connections, which has no
// strings.
func isConnection(n *node) bool {
	for _, m := range n.members {
		switch canonical(m.key) {
		case "transport", "command", "url":
			if m.kind == kindString {
				return true
			}
		}
	}
	return false
}
