package transport

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mended returns what is left of a result, and what was reported.
func mended(method, result string) (left string, reports []string) {
	opts := Options{Server: "s", Logger: slog.New(slog.DiscardHandler), Report: func(err error) { reports = append(reports, err.Error()) }}
	other, changed := opts.result(method, []byte(result))
	if !changed {
		return result, reports
	}
	return string(other), reports
}

func TestMalformedEntriesAreLeftOut(t *testing.T) {
	const good = `{"inputSchema":{"type":"object"},"name":"good"}`
	for name, bad := range map[string]string{
		"name":        `{"name":5,"inputSchema":{}}`,
		"description": `{"name":"bad","description":7}`,
		"title":       `{"name":"bad","title":{}}`,
		"annotations": `{"name":"bad","annotations":"none"}`,
		"hint":        `{"name":"bad","annotations":{"readOnlyHint":"yes"}}`,
		"icons":       `{"name":"bad","icons":"no"}`,
		"_meta":       `{"name":"bad","_meta":[1]}`,
		"a text":      `"bad"`,
		"a number":    `5`,
		"a list":      `[{"name":"bad"}]`,
		"null":        `null`,
		"no name":     `{"title":"bad"}`,
		"empty name":  `{"name":""}`,
		"NAME":        `{"NAME":"bad"}`,
	} {
		t.Run(name, func(t *testing.T) {
			left, reports := mended("tools/list", `{"tools":[`+good+`,`+bad+`,`+good+`],"nextCursor":"2","other":1}`)
			want := `{"nextCursor":"2","other":1,"tools":[` + good + `,` + good + `]}`
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("what is left (-want +got):\n%s", diff)
			}
			if len(reports) != 1 || !strings.Contains(reports[0], "the tool with index 1") {
				t.Errorf("reported: %q", reports)
			}
			if strings.Contains(bad, `"name":"bad"`) && strings.HasPrefix(bad, "{") && !strings.Contains(reports[0], `"bad"`) {
				t.Errorf("the report does not name it: %q", reports)
			}
		})
	}
}

func TestEachKindOfListIsMended(t *testing.T) {
	for method, test := range map[string]struct{ key, good, bad, report string }{
		"tools/list":               {"tools", `{"name":"a"}`, `{"name":{}}`, "the tool with index 1 was"},
		"prompts/list":             {"prompts", `{"name":"a"}`, `{"name":"b","arguments":"none"}`, `the prompt with index 1 ("b") was`},
		"resources/list":           {"resources", `{"uri":"x://a"}`, `{"uri":"x://b","size":"big"}`, `the resource with index 1 ("x://b") was`},
		"resources/templates/list": {"resourceTemplates", `{"uriTemplate":"x://{a}"}`, `{"uriTemplate":"x://{b}","mimeType":1}`, `the resource template with index 1 ("x://{b}") was`},
	} {
		left, reports := mended(method, fmt.Sprintf(`{%q:[%s,%s]}`, test.key, test.good, test.bad))
		if want := fmt.Sprintf(`{%q:[%s]}`, test.key, test.good); left != want {
			t.Errorf("%s: left is %s, want %s", method, left, want)
		}
		if len(reports) != 1 || !strings.Contains(reports[0], test.report) {
			t.Errorf("%s: reported %q, want %q", method, reports, test.report)
		}
	}
}

func TestMalformedMembersAreLeftOut(t *testing.T) {
	left, reports := mended("tools/list", `{"tools":[{"name":"a"}],"nextCursor":5,"_meta":"x","ttlMs":"soon","resultType":"complete"}`)
	if want := `{"resultType":"complete","tools":[{"name":"a"}]}`; left != want {
		t.Errorf("left is %s, want %s", left, want)
	}
	if len(reports) != 3 {
		t.Errorf("reported: %q", reports)
	}
}

func TestListsThatAreNotMended(t *testing.T) {
	for name, test := range map[string]struct{ method, result string }{
		"in order":             {"tools/list", `{"tools":[{"name":"a","unknown":1}]}`},
		"no list":              {"tools/list", `{"tools":{"a":1}}`},
		"no object":            {"tools/list", `[1]`},
		"nothing":              {"tools/list", ``},
		"of another method":    {"tools/call", `{"tools":[{"name":5}]}`},
		"of other entries":     {"prompts/list", `{"tools":[{"name":5}]}`},
		"names differ in case": {"tools/list", `{"tools":[{"name":"a","NAME":5,"Description":1}]}`},
	} {
		if left, reports := mended(test.method, test.result); left != test.result || len(reports) > 0 {
			t.Errorf("%s: left is %s; reported %q", name, left, reports)
		}
	}
}

func TestReportsOfMalformedEntriesAreBounded(t *testing.T) {
	evil := strings.Repeat(`{"name":"\u001b[2J\n`+strings.Repeat("x", 1000)+`","title":1},`, 100)
	left, reports := mended("tools/list", `{"tools":[`+evil+`{"name":"good"}]}`)
	if want := `{"tools":[{"name":"good"}]}`; left != want {
		t.Errorf("left is %.500s", left)
	}
	if len(reports) != maxDropped+1 || !strings.Contains(reports[maxDropped], "84 more") {
		t.Errorf("%d reports, the last %.500q", len(reports), reports[len(reports)-1])
	}
	for _, report := range reports {
		if len(report) > 1000 || strings.ContainsAny(report, "\x1b\n") {
			t.Errorf("a report is %q", report)
		}
	}
}

// FuzzMend checks that what is returned can be decoded by the SDK, and has
// nothing that was not there.
func FuzzMend(f *testing.F) {
	for _, seed := range []string{
		`{"tools":[{"name":"a"},{"name":5}]}`,
		`{"tools":[{"name":"a","annotations":{"readOnlyHint":"yes"}}],"nextCursor":1}`,
		`{"tools":[],"tools":[5],"x":1e999}`,
		`{"tools":["\ud800",{"name":"\ud800","title":1}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		for method, l := range lists {
			reports := 0
			other, changed := l.mend(result, func(error) { reports++ })
			if !changed {
				continue
			}
			if err := l.whole(other); err != nil {
				t.Fatalf("%s: %s became %s, which cannot be decoded: %v", method, result, other, err)
			}
			if reports == 0 {
				t.Fatalf("%s: %s became %s without a report", method, result, other)
			}
		}
	})
}
