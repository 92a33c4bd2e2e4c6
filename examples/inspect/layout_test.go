package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCell(t *testing.T) {
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 5, ""},
		{" a \n\t b\u2028c ", 20, "a b\ufffdc"},
		{"exact", 5, "exact"},
		{"cut here", 7, "cut…"},
		{"averyverylongword and more", 10, "averyvery…"},
		{"a averyverylongwordindeed", 22, "a averyverylongwordin…"},
		{"äöüäöü", 4, "äöü…"},
		{"\xff\xfe", 5, "\ufffd\ufffd"},
	} {
		if got := cell(test.in, test.limit); got != test.want {
			t.Errorf("cell(%q, %d) = %q, want %q", test.in, test.limit, got, test.want)
		}
	}
}

func TestClean(t *testing.T) {
	const in = "tab\there\r\nline\rback \x00\x7f\u0085\u202e\U000e0041 naïve 漢字 \u00a0 👩\u200d💻"
	const want = "tab\there\nline\ufffdback \ufffd\ufffd\ufffd\ufffd\ufffd naïve 漢字 \u00a0 👩\u200d💻"
	if diff := cmp.Diff(want, clean(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table := newTable(&b, "A", "LONG", "C")
	table.row("x\ty", "", "last\n")
	table.row("\xff", "two\nlines", "")
	table.flush()
	const want = "A    LONG       C\nx y             last\n\ufffd    two lines\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	for _, test := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"nothing", nil, ""},
		{"one", []string{"a b"}, "> a b\n"},
		{"several", []string{"a,", "b"}, "> a, b\n"},
		{"breaks between pieces", []string{strings.Repeat("x", 70), "a b c d e"}, "> " + strings.Repeat("x", 70) + "\n   a b c d e\n"},
		{"breaks within a long one", []string{long}, "> " + strings.Repeat("word ", 14) + "word\n   " + strings.Repeat("word ", 5) + "end\n"},
		{"cannot break", []string{strings.Repeat("x", 100), "y"}, "> " + strings.Repeat("x", 100) + "\n   y\n"},
	} {
		var b strings.Builder
		wrap(&b, "> ", "   ", test.pieces)
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("plain")
	f.Add(hostile + "\u2028\U000e0041\x00\xff\\\"")
	f.Fuzz(func(t *testing.T, s string) {
		body, err := encode(map[string]string{s: s})
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(body) {
			t.Errorf("not UTF-8: %q", body)
		}
		for _, r := range string(body) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%q is in %q", r, body)
			}
		}
		var back map[string]string
		if err := json.Unmarshal(body, &back); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		s = strings.ToValidUTF8(strings.ToValidUTF8(s, "\ufffd"), "")
		for _, got := range back {
			if !utf8.ValidString(s) || strings.Count(got, "\ufffd") == 0 && got != s {
				t.Errorf("%q came back as %q", s, got)
			}
		}
	})
}

func FuzzCell(f *testing.F) {
	f.Add(hostile, 5)
	f.Add("a b\u200d", 2)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 1 || limit > noLimit {
			return
		}
		got := cell(s, limit)
		if n := utf8.RuneCountInString(got); n > limit {
			t.Errorf("%d characters, want at most %d: %q", n, limit, got)
		}
		if clean(got) != got || strings.ContainsAny(got, "\n\t") {
			t.Errorf("%q is not clean", got)
		}
	})
}
