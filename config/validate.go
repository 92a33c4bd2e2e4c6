package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Validate returns nil, or an [*Error] that lists every fault of every
// connection. It does no I/O: whether a program or host exists shows when the
// server is connected to. Nil and empty maps are valid.
func (c Connections) Validate() error {
	var faults []Fault
	c.faults(func(f Fault) { faults = append(faults, f) })
	return newError(nil, faults, nil)
}

func (c Connections) faults(add func(Fault)) {
	for name, connection := range c {
		if name == "" {
			add(Fault{Problem: "the name of a server is empty"})
		}
		value, problem := dereference(connection)
		if problem != "" {
			add(Fault{Server: name, Problem: problem})
			continue
		}
		value.faults(func(key, problem string) {
			add(Fault{Server: name, Key: key, Problem: problem})
		})
	}
}

// dereference returns the connection by value, or what is wrong with it.
func dereference(c Connection) (value Connection, problem string) {
	switch c := c.(type) {
	case Stdio, StreamableHTTP, SSE, InMemory, Custom:
		return c, ""
	case *Stdio:
		return deref(c)
	case *StreamableHTTP:
		return deref(c)
	case *SSE:
		return deref(c)
	case *InMemory:
		return deref(c)
	case *Custom:
		return deref(c)
	case nil:
		return nil, "the connection is nil"
	default:
		return nil, fmt.Sprintf("%T is no type of connection: use Custom", c)
	}
}

func deref[T Connection](p *T) (Connection, string) {
	if p == nil {
		return nil, fmt.Sprintf("the connection is a nil %T", p)
	}
	return *p, ""
}

func (c InMemory) faults(add func(key, problem string)) {
	if c.Server == nil {
		add("server", "is nil: set the field Server")
	}
	c.Settings.check(add)
}

func (c Custom) faults(add func(key, problem string)) {
	if c.NewTransport == nil {
		add("newTransport", "is nil: set the field NewTransport")
	}
	c.Settings.check(add)
}

func (s Settings) check(add func(key, problem string)) {
	checkTimeout(add, "connectTimeout", s.ConnectTimeout)
	checkTimeout(add, "listTimeout", s.ListTimeout)
	checkTimeout(add, "closeTimeout", s.CloseTimeout)

	versions := mcp.SupportedProtocolVersions()
	if v := s.ProtocolVersion; v != "" && !slices.Contains(versions, v) {
		add("protocolVersion", fmt.Sprintf("%s is not known: use one of %s", quote(v), strings.Join(versions, ", ")))
	}
	switch s.SessionPolicy {
	case "", SessionShared, SessionSerialized, SessionPerCall, SessionPerIdentity:
	default:
		add("sessionPolicy", fmt.Sprintf("%s is not known: use %q, %q, %q or %q",
			quote(string(s.SessionPolicy)), SessionShared, SessionSerialized, SessionPerCall, SessionPerIdentity))
	}
	s.Tools.check(add)
}

func checkTimeout(add func(key, problem string), key string, d time.Duration) {
	if d < 0 {
		add(key, "is negative: use 0 for the default")
	}
}

func checkSize(add func(key, problem string), key string, n int) {
	if n < 0 {
		add(key, "is negative: use 0 for the default")
	}
}
