package config

import (
	"errors"
	"slices"
	"strings"
)

// A server reads the entry of one server. Keys that its transport does not
// have are not looked into: files are full of others, which are for their
// host.
type server struct {
	r       *reader
	d       *document
	name    string
	members []member
	keys    map[string]member   // by canonical name; without null
	places  map[string]position // of parts of keys, as faults name them
	faulty  map[string]bool     // keys that have a fault
	secrets []string            // values of variables
	// credentials are those of secrets that are no words for sure.
	credentials []string
}

// read returns the connection. It is nil if the server is disabled, or if it
// cannot be told what it is, which is a fault.
func (r *reader) read(e entry) (connection Connection, disabled bool) {
	s := &server{
		r: r, d: e.d, name: e.key, members: e.members,
		keys: map[string]member{}, places: map[string]position{"": e.at}, faulty: map[string]bool{},
	}
	if e.kind != kindObject {
		s.noServer(e)
		return nil, false
	}
	s.sort()
	if s.flag("disabled", false) || !s.flag("enabled", true) || e.d.left[e.key] != "" {
		return nil, true
	}
	s.look()
	if s.name == "" {
		r.faultAt(s.d, e.at, Fault{Problem: "the name of a server is empty"})
	}
	connection = s.connection()
	if connection != nil {
		// A key that could not be read is missing or empty now: that this is
		// a fault too would only confuse.
		read := s.faulty
		s.faulty = map[string]bool{}
		connection.faults(func(key, problem string) {
			if !read[s.spell(key)] {
				s.add(key, problem)
			}
		})
	}
	return connection, false
}

// noServer adds the fault of an entry that holds no keys.
func (s *server) noServer(e entry) {
	const expected = `an object with "command" or "url"`
	switch {
	case e.kind == kindNull && s.d.yaml:
		s.add("", "expected "+expected+", found nothing: indent the keys of a server further than its name")
	case known[canonical(e.key)]:
		s.add("", "is a key of a server, but stands where their names are: put it into a server"+s.d.indent())
	default:
		s.mismatch("", expected, e.node)
	}
}

// sort finds the keys by their canonical names.
func (s *server) sort() {
	for _, m := range s.members {
		name := canonical(m.key)
		if name == "tools" && m.kind == kindArray {
			name = "includeTools" // of Copilot CLI
		}
		if m.kind == kindNull || name == "transport" {
			continue
		}
		if first, ok := s.keys[name]; ok && (!given(m.node) || s.d.dialect == DialectGeminiCLI && first.key == "httpUrl") {
			continue
		}
		s.keys[name] = m
	}
}

// look tells which keys are there for nothing or more than once.
func (s *server) look() {
	eachDuplicate(s.members, func(_, again int) {
		m := s.members[again]
		s.addAt(m.at, m.key, "is there more than once")
	})
	for _, m := range s.members {
		name := canonical(m.key)
		reason, matters := without[name]
		switch {
		case m.kind == kindNull || inert[name]:
		case name == "auth" && (s.bearer(m.node) || m.kind == kindObject || m.text == "oauth"), name == "tools" && m.kind == kindArray:
		case name == "bearerToken":
			s.addAt(m.at, m.key, "a token has no place in a file: put it into a variable, and name that in bearer_token_env_var")
		case matters:
			s.warn(m.at, m.key, "has no effect: "+reason)
		case !known[name]:
			s.unknown(m)
		case name != "transport" && s.keys[name].key != m.key && given(m.node) && s.keys[name].text != m.text:
			if s.d.dialect != DialectGeminiCLI || s.keys[name].key != "httpUrl" {
				s.addAt(m.at, m.key, "says something else than "+quote(s.keys[name].key)+", which is the same key: keep one")
			}
		}
	}
}

func (s *server) unknown(m member) {
	if name := miss(m.key); name != "" && !s.given(canonical(name)) {
		s.addAt(m.at, m.key, `is not known: did you mean "`+name+`"?`)
		return
	}
	s.unknownAt(m.at, m.key, "is not known"+suggest(camel(m.key), known))
}

func (s *server) unknownAt(at position, key, problem string) {
	if s.r.opts.Strict {
		s.addAt(at, key, problem)
		return
	}
	s.warn(at, key, problem)
}

// meant suggests which key is a "command" or "url" that is misspelled.
func (s *server) meant() string {
	for _, m := range s.members {
		if hint := suggest(camel(m.key), set("command", "url", "httpUrl", "serverUrl")); hint != "" && !known[canonical(m.key)] {
			return "; " + quote(m.key) + " is not known" + hint
		}
	}
	return ""
}

// bearer reports whether an "auth" holds a token.
func (s *server) bearer(n *node) bool {
	return n.kind == kindString && n.text != "oauth" && n.text != "" &&
		(s.d.dialect == DialectFastMCP || s.d.dialect == DialectOwn)
}

func (s *server) connection() Connection {
	url := s.text("url")
	settings := s.settings()
	transport := s.transport(url)
	switch transport {
	case stdio:
		s.idle(transport, "headers", "envHttpHeaders", "bearerTokenEnvVar", "oauth", "scopes", "auth")
		c := s.stdio(settings)
		c.secrets, c.credentials = found(s.secrets), found(s.credentials)
		return c
	case streamableHTTP, sse:
		s.idle(transport, "args", "env", "envFile", "envVars", "cwd", "terminateTimeout", "killTimeout", "waitDelay")
		h := s.http()
		if transport == sse {
			s.idle(transport, "oauth", "scopes")
			if m, ok := s.keys["auth"]; ok && m.kind == kindObject {
				s.idle(transport, "auth")
			}
			h.secrets, h.credentials = found(s.secrets), found(s.credentials)
			return SSE{URL: url, HTTP: h, Settings: settings}
		}
		signIn := s.oauth()
		h.secrets, h.credentials = found(s.secrets), found(s.credentials)
		return StreamableHTTP{URL: url, HTTP: h, Settings: settings, OAuth: signIn}
	default:
		// What else is wrong is worth telling all the same.
		if s.given("command") {
			s.stdio(settings)
		}
		if s.given("url") {
			s.http()
		}
		return nil
	}
}

// idle warns of keys that the transport does not have.
func (s *server) idle(transport string, names ...string) {
	for _, name := range names {
		if m, ok := s.keys[name]; ok && given(m.node) {
			s.warn(m.at, m.key, `has no effect with the transport "`+transport+`"`)
		}
	}
}

// found returns values sorted, so that connections are the same whatever the
// order of their keys.
func found(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

func (s *server) stdio(settings Settings) Stdio {
	return Stdio{
		Command:          s.text("command"),
		Args:             s.texts("args"),
		Env:              s.env(),
		Cwd:              s.text("cwd"),
		TerminateTimeout: s.duration("terminateTimeout"),
		KillTimeout:      s.duration("killTimeout"),
		WaitDelay:        s.duration("waitDelay"),
		MaxMessageSize:   s.whole("maxMessageSize", "a whole number of bytes"),
		Settings:         settings,
	}
}

func (s *server) http() HTTP {
	return HTTP{
		Headers:        s.headers(),
		MaxMessageSize: s.whole("maxMessageSize", "a whole number of bytes"),
	}
}

func (s *server) settings() Settings {
	settings := Settings{
		ProtocolVersion: s.word("protocolVersion"),
		SessionPolicy:   SessionPolicy(s.word("sessionPolicy")),
		MaxInFlight:     s.whole("maxInFlight", "a whole number of calls"),
		Tools:           ToolFilter{Allow: s.words("includeTools"), Deny: s.words("excludeTools")},
		Required:        s.flag("required", false),
	}
	s.timeouts(&settings)
	return settings
}

// add adds a fault of a key, which is named canonically.
func (s *server) add(key, problem string) {
	spelled := s.spell(key)
	at, ok := s.places[spelled]
	if !ok {
		at = s.places[""]
		if m, ok := s.keys[root(key)]; ok {
			at = m.at
		}
	}
	s.addAt(at, spelled, problem)
}

// addAt adds a fault of a key, as it is spelled in the file.
func (s *server) addAt(at position, key, problem string) {
	s.faulty[key] = true
	s.r.faultAt(s.d, at, Fault{Server: s.name, Key: key, Problem: problem})
}

// addSpelled is addAt for a key that some member has.
func (s *server) addSpelled(key, problem string) {
	for _, m := range s.members {
		if m.key == key {
			s.addAt(m.at, key, problem)
			return
		}
	}
}

func (s *server) warn(at position, key, problem string) {
	s.r.warnAt(s.d, at, Fault{Server: s.name, Key: key, Problem: problem})
}

// fail adds a fault with the error behind it, which is wrapped.
func (s *server) fail(key, problem string, err error) {
	s.add(key, problem)
	if err != nil && !slices.ContainsFunc(s.r.causes, func(c error) bool { return errors.Is(err, c) }) {
		s.r.fail(err)
	}
}

// spell returns a key as the file has it.
func (s *server) spell(key string) string {
	if m, ok := s.keys[root(key)]; ok {
		return m.key + strings.TrimPrefix(key, root(key))
	}
	return key
}

// root returns the first part of a key such as "args[1]" or "env.NAME".
func root(key string) string {
	if i := strings.IndexAny(key, ".["); i >= 0 {
		return key[:i]
	}
	return key
}
