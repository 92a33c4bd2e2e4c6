package stdio

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"as it is: äöü 世界 🎉", "as it is: äöü 世界 🎉"},
		{"end\r\n", "end"},
		{"a\tb\u00a0c\u2028d", "a b c d"},
		{"10 %\r20 %\rdone \n", "done"},
		{"\x1b[1;31mred\x1b[0m \x1b[2K\x1b(B!", "red (B!"},
		{"\x1b]0;title\x07text\x1b]8;;url\x1b\\link", "textlink"},
		{"nul\x00bell\x07del\x7fc1\u0085", "nulbelldelc1"},
		{"bidi\u202e\u2066x", "bidix"},
		{"bad\xff\xfeutf", "bad\uFFFDutf"},
	}
	for _, tt := range tests {
		if got := plain(tt.in); got != tt.want {
			t.Errorf("plain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for n, want := range []string{"", "a", "a", "a", "a世", "a世b", "a世b"} {
		if got := cut("a世b", n); got != want {
			t.Errorf("cut to %d: %q, want %q", n, got, want)
		}
	}
}

func TestQuoterHides(t *testing.T) {
	q := newQuoter(map[string]string{
		"KEY":    "abcdefgh",
		"LONGER": "abcdefghij",
		"LEVEL":  "debug",
		"EMPTY":  "",
		"LINES":  "first line\nsecond line",
	}, []string{"of an argument", "abcdefgh"})
	tests := []struct{ in, want string }{
		{"key abcdefgh!", "key ${KEY}!"},
		{"key abcdefghij", "key ${LONGER}"},
		{"debug on", "debug on"},
		{"bad value of an argument", "bad value [hidden]"},
		{"got first line\nsecond line", "got ${LINES}"},
	}
	for _, tt := range tests {
		if got := q.hide(tt.in); got != tt.want {
			t.Errorf("hide(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Wherever a line or a tail is cut, no part of a value is to be seen.
func TestQuoterHidesWhatIsCut(t *testing.T) {
	var secret string
	for i := range 40 {
		secret += fmt.Sprintf("S%02d", i)
	}
	q := newQuoter(map[string]string{"KEY": secret}, nil)
	for before := range 2 * maxQuoted {
		dashes := strings.Repeat("-", before)
		if got := q.line([]byte(dashes + strings.Repeat(secret, 30))); strings.Contains(got, "S") || len(got) > maxQuoted {
			t.Fatalf("line, %d before: %q", before, got)
		}
		got := q.line([]byte(dashes + secret + strings.Repeat("+", 2*maxQuoted)))
		if want := dashes + "${KEY}" + strings.Repeat("+", maxQuoted); got != want[:maxQuoted] {
			t.Fatalf("line, %d before: %q", before, got)
		}
	}
	for after := tailBytes - 400; after < tailBytes+200; after++ {
		s := &stderrLog{quote: q}
		s.keep([]byte("start " + strings.Repeat(secret, 3)))
		s.keep([]byte(strings.Repeat("-", after)))
		got := s.last()
		if strings.Contains(got, "S") || len(got) > tailBytes {
			t.Fatalf("tail, %d after: %.200q", after, got)
		}
	}
}

func TestTail(t *testing.T) {
	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "line %d\n", i)
	}
	tests := []struct {
		name, in, begins, ends string
		lines                  int
	}{
		{"empty", "", "", "", 0},
		{"blank", "\n \n\r\n", "", "", 0},
		{"short", "\none\n\n\ttwo", "one", " two", 2},
		{"many lines", many.String(), "line 10", "line 29", 20},
		{"long lines", strings.Repeat("x", 2000) + "\n" + strings.Repeat("y", 2000) + "\n" + strings.Repeat("z", 2000) + "\n", "yyy", "zzz", 2},
		{"one long line", strings.Repeat("x", 9000), "xxx", "xxx", 1},
		{"long characters", strings.Repeat("世", 3000), "世", "世", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &stderrLog{quote: newQuoter(nil, nil)}
			for _, b := range []byte(tt.in) {
				s.keep([]byte{b})
			}
			got := s.last()
			if !strings.HasPrefix(got, tt.begins) || !strings.HasSuffix(got, tt.ends) {
				t.Errorf("got %.100q ...", got)
			}
			lines := 0
			if got != "" {
				lines = 1 + strings.Count(got, "\n")
			}
			if lines != tt.lines || len(got) > tailBytes {
				t.Errorf("got %d lines, %d bytes", lines, len(got))
			}
		})
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("one\ntwo\x1b[0m\r\n\xff"), 3)
	f.Add([]byte(strings.Repeat("long\x1b]", 2000)), 5000)
	f.Fuzz(func(t *testing.T, b []byte, split int) {
		s := &stderrLog{quote: newQuoter(map[string]string{"A": "long long value"}, nil)}
		split = max(0, min(split, len(b)))
		s.keep(b[:split])
		s.keep(b[split:])
		got := s.last()
		if !utf8.ValidString(got) || len(got) > tailBytes || strings.Count(got, "\n") >= tailLines {
			t.Errorf("got %q", got)
		}
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) {
				t.Errorf("%q has control character %q", got, r)
			}
		}
	})
}
