package config

// A server reads the entry of one server. It looks only at keys that it knows
// and that the server's transport has: files are full of others, which are
// for their host.
type server struct {
	lookup func(name string) (value string, ok bool)
	add    func(key, problem string)
	keys   map[string]value
}

// read returns the connection, or nil if the server is disabled, or if it cannot
// be told what it is, which is a fault.
func (s *server) read(entry value) Connection {
	if entry.kind() != "object" {
		s.mismatch("", `an object with "command" or "url"`, entry)
		return nil
	}
	members := entry.members()
	s.keys = make(map[string]value, len(members))
	for _, m := range members {
		s.keys[m.key] = m.value
	}
	if s.flag("disabled", false) || !s.flag("enabled", true) {
		return nil
	}
	eachDuplicate(members, func(_, again int) {
		s.add(members[again].key, "is there more than once")
	})

	url := s.text("url")
	settings := s.settings()
	switch s.transport(url) {
	case stdio:
		return s.stdio(settings)
	case streamableHTTP:
		return StreamableHTTP{URL: url, HTTP: s.http(), Settings: settings}
	case sse:
		return SSE{URL: url, HTTP: s.http(), Settings: settings}
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

func (s *server) stdio(settings Settings) Stdio {
	return Stdio{
		Command:          s.text("command"),
		Args:             s.texts("args"),
		Env:              s.env(),
		Cwd:              s.text("cwd"),
		TerminateTimeout: s.duration("terminateTimeout"),
		MaxMessageSize:   s.size("maxMessageSize"),
		Settings:         settings,
	}
}

func (s *server) http() HTTP {
	return HTTP{
		Headers:        s.headers(),
		MaxMessageSize: s.size("maxMessageSize"),
	}
}

func (s *server) settings() Settings {
	return Settings{
		ConnectTimeout:  s.duration("connectTimeout"),
		ListTimeout:     s.duration("listTimeout"),
		CallTimeout:     s.duration("callTimeout"),
		CloseTimeout:    s.duration("closeTimeout"),
		ProtocolVersion: s.word("protocolVersion"),
		SessionPolicy:   SessionPolicy(s.word("sessionPolicy")),
	}
}
