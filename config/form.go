package config

// serverEntries returns the servers of a document, each still unread, or why
// it cannot be told what they are. Which of the three forms a document has:
//
//   - With a key "mcpServers" its servers are in there, and everything else is
//     the host's business.
//   - With a key "servers" they are in there as well, but that is also a name
//     that a server may have. It is the name of one if what it holds is a
//     connection, and it is refused to guess if another key holds one.
//   - Otherwise every key is the name of a server, except for "$schema".
//
// A server called "mcpServers" is thus possible only inside "mcpServers".
func serverEntries(doc document) (entries []member, problem string) {
	whole := doc.value()
	if whole.kind() != "object" {
		return nil, `expected an object with "mcpServers", found ` + whole.kind()
	}

	var standard, short *member
	otherConnection := false
	top := whole.members()
	for _, m := range top {
		switch {
		case m.key == "mcpServers" && standard != nil, m.key == "servers" && short != nil:
			return nil, quote(m.key) + " is there more than once, again on " + doc.position(m.at)
		case m.key == "mcpServers":
			standard = &m
		case m.key == "servers":
			short = &m
		default:
			otherConnection = otherConnection || isConnection(m.value)
		}
	}
	switch {
	case standard != nil && short != nil:
		return nil, `both "mcpServers" and "servers" are there: keep one`
	case standard != nil:
		return wrapped(*standard)
	case short == nil || isConnection(short.value):
		return bare(top), ""
	case otherConnection:
		return nil, `"servers" holds the servers or is the name of one, but other keys hold servers too: put them all into "mcpServers"`
	default:
		return wrapped(*short)
	}
}

func wrapped(m member) (entries []member, problem string) {
	switch m.kind() {
	case "object":
		return m.members(), ""
	case "null":
		return nil, ""
	default:
		return nil, quote(m.key) + ": expected an object, found " + m.kind()
	}
}

func bare(top []member) []member {
	var entries []member
	for _, m := range top {
		if m.key != "$schema" || m.kind() != "string" {
			entries = append(entries, m)
		}
	}
	return entries
}

// isConnection tells a connection from a map of connections, which has no
// strings.
func isConnection(v value) bool {
	for _, m := range v.members() {
		switch m.key {
		case "transport", "type", "command", "url":
			if m.kind() == "string" {
				return true
			}
		}
	}
	return false
}
