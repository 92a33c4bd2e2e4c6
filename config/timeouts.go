package config

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"time"
)

// timeouts reads our own keys, and those of clients where ours are missing.
func (s *server) timeouts(to *Settings) {
	startup := cmp.Or(s.quantity("startupTimeoutSec", time.Second), s.quantity("startupTimeoutMs", time.Millisecond))
	call := cmp.Or(s.quantity("toolTimeoutSec", time.Second), s.quantity("defaultToolTimeout", time.Millisecond))
	connect := startup
	if s.given("timeout") {
		switch s.d.dialect {
		case DialectLangChain:
			connect = cmp.Or(connect, s.quantity("timeout", time.Second))
		case DialectGeminiCLI, DialectClaudeCode, DialectFastMCP:
			call = cmp.Or(call, s.quantity("timeout", time.Millisecond))
		default:
			call = cmp.Or(call, s.ambiguous())
		}
	}
	if s.d.dialect == DialectLangChain {
		call = cmp.Or(call, s.quantity("sseReadTimeout", time.Second))
	} else if m, ok := s.keys["sseReadTimeout"]; ok {
		s.warn(m.at, m.key, `has no effect outside of LangChain's connections: write "callTimeout": "5m"`)
	}
	to.ConnectTimeout = cmp.Or(s.duration("connectTimeout"), connect)
	to.ListTimeout = cmp.Or(s.duration("listTimeout"), startup)
	to.CallTimeout = cmp.Or(s.duration("callTimeout"), call)
	to.CloseTimeout = s.duration("closeTimeout")
}

// ambiguous reads a "timeout" of a dialect that does not have it: a number
// would be a guess, since clients have seconds or milliseconds.
func (s *server) ambiguous() time.Duration {
	m := s.keys["timeout"]
	if m.kind != kindNumber {
		return s.quantity("timeout", 0)
	}
	s.warn(m.at, m.key, `has no effect, since its unit is not known: write "callTimeout": "30s", or name the dialect of the file`)
	return 0
}

const expectedDuration = `a duration with its unit, such as "30s" or "5m"`

// duration reads one of our own keys.
func (s *server) duration(key string) time.Duration {
	n, ok := s.get(key, kindString, expectedDuration)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(n.text)
	if err != nil {
		s.add(key, "expected "+expectedDuration+", found "+quote(n.text))
	}
	return d
}

// quantity reads a number of units, or a duration that tells its unit.
func (s *server) quantity(key string, unit time.Duration) time.Duration {
	m, ok := s.keys[key]
	if !ok {
		return 0
	}
	expected := "a number of seconds"
	switch unit {
	case time.Millisecond:
		expected = "a number of milliseconds"
	case 0:
		expected = "a number"
	}
	switch m.kind {
	case kindNumber:
		number, err := strconv.ParseFloat(m.text, 64)
		d := number * float64(unit)
		if err != nil || math.IsNaN(d) || d < 0 || d >= math.MaxInt64 {
			s.add(key, "expected "+expected+" that is not negative and can be waited for, found "+shorten(m.text))
			return 0
		}
		return time.Duration(d)
	case kindString:
		d, ok := parseDuration(m.text)
		if !ok || d < 0 {
			s.add(key, "expected "+expected+" or "+expectedDuration+", found "+quote(m.text))
			return 0
		}
		return d
	default:
		s.mismatch(key, expected, m.node)
		return 0
	}
}

var (
	isoDuration    = regexp.MustCompile(`^P(?:(\d{1,5})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$`)
	pythonDuration = regexp.MustCompile(`^(?:(\d{1,5}) days?, )?(\d{1,2}):(\d\d):(\d\d(?:\.\d{1,9})?)$`)
)

// parseDuration reads what Go writes, and what Python and its libraries write
// of a timedelta: "PT30S" and "0:00:30".
func parseDuration(text string) (time.Duration, bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, true
	}
	m := isoDuration.FindStringSubmatch(text)
	if m == nil {
		m = pythonDuration.FindStringSubmatch(text)
	}
	if m == nil || text == "P" || text[len(text)-1] == 'T' {
		return 0, false
	}
	var total float64
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if m[i+1] != "" {
			number, _ := strconv.ParseFloat(m[i+1], 64) // The pattern has seen to it.
			total += number * float64(unit)
		}
	}
	return time.Duration(total), true
}
