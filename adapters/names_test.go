package adapters_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func named(tools ...string) []adapters.Named {
	list := make([]adapters.Named, len(tools))
	for i, tool := range tools {
		list[i].Server, list[i].Tool, _ = strings.Cut(tool, "|")
	}
	return list
}

func TestAssignNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	for name, tt := range map[string]struct {
		tools []adapters.Named
		opts  adapters.NameOptions
		want  []string
	}{
		"none":            {nil, adapters.NameOptions{}, []string{}},
		"as they are":     {named("a|add", "a|get-sum", "b|_X9"), adapters.NameOptions{}, []string{"add", "get-sum", "_X9"}},
		"prefix":          {named("math|add", "my server|add", "a.b|c/d"), adapters.NameOptions{Prefix: true}, []string{"math_add", "my_server_add", "a_b_c_d"}},
		"separator":       {named("math|add"), adapters.NameOptions{Prefix: true, Separator: "--"}, []string{"math--add"}},
		"illegal":         {named("a|user.get", "a|b/c d", "a|(x)", "a|naïve", "a|搜索"), adapters.NameOptions{}, []string{"user_get", "b_c_d", "_x_", "na_ve", "__"}},
		"first character": {named("a|3d", "a|-x", "a|"), adapters.NameOptions{}, []string{"_3d", "_-x", "_"}},
		"longest":         {named("a|" + long[:64]), adapters.NameOptions{}, []string{long[:64]}},
		"too long":        {named("a|"+long, "b|"+long[:65]), adapters.NameOptions{}, []string{long[:55] + "_56ba59da", long[:55] + "_253c5eb4"}},
		"too long with prefix": {
			named("server|" + long[:60]), adapters.NameOptions{Prefix: true}, []string{"server_" + long[:48] + "_f8773b53"},
		},
		"changed to a taken name": {named("a|x.y", "b|x_y"), adapters.NameOptions{}, []string{"x_y_7ace4eaa", "x_y"}},
		"changed to the same":     {named("a|搜索", "a|天气"), adapters.NameOptions{}, []string{"___afbb39c6", "___5452f769"}},
		"case on one server":      {named("a|Get", "a|get"), adapters.NameOptions{}, []string{"Get_595de109", "get_92318f37"}},
		"joined to the same":      {named("a_b|c", "a|b_c"), adapters.NameOptions{Prefix: true}, []string{"a_b_c_0c1d18f5", "a_b_c_662f0bbb"}},
		"twice on one server":     {named("a|x", "a|y", "a|x"), adapters.NameOptions{}, []string{"x", "y", ""}},
		"twice with prefix":       {named("a|x", "a|x"), adapters.NameOptions{Prefix: true}, []string{"a_x", ""}},
		"prefix those that collide": {
			named("a|x", "b|X", "c|y", "c|a_x"), adapters.NameOptions{Collision: adapters.CollisionPrefix},
			[]string{"a_x_8b86bced", "b_X", "y", "a_x"},
		},
		"first wins": {
			named("a|x", "b|X", "b|y", "c|x", "a|X"), adapters.NameOptions{Collision: adapters.CollisionFirst},
			[]string{"x_8b86bced", "", "y", "", "X_62bc9a1d"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := adapters.AssignNames(tt.tools, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What collides costs no other tool its name, and nobody wins unseen.
func TestAssignNamesCollision(t *testing.T) {
	names, err := adapters.AssignNames(named("files|read", "files|write", "git|Read", "db|read", "db|list", "web|list", "web|l.ist", "x|li.st"), adapters.NameOptions{})
	if diff := cmp.Diff([]string{"", "write", "", "", "", "", "l_ist", "li_st"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var e *adapters.Error
	if !errors.As(err, &e) || !errors.Is(err, adapters.ErrNameCollision) {
		t.Fatalf("got %v", err)
	}
	if e.Server != "git" || e.Tool != "Read" || e.OtherServer != "files" || e.OtherTool != "read" {
		t.Errorf("got %+v", e)
	}
	const advice = `: both are left out: prefix tool names with their server (multiclient: Options.ToolNamePrefix), or choose another collision policy (multiclient: Options.Collisions)`
	var want []string
	for _, pair := range [][2]string{
		{`tool "Read" of server "git"`, `tool "read" of server "files"`},
		{`tool "read" of server "db"`, `tool "read" of server "files"`},
		{`tool "list" of server "web"`, `tool "list" of server "db"`},
	} {
		want = append(want, "adapters: name collision: "+pair[0]+" and "+pair[1]+advice)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), err.Error()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A name that is left out goes to no other tool, such as one whose own name had to
// be changed.
func TestAssignNamesCollisionKeepsTheName(t *testing.T) {
	names, err := adapters.AssignNames(named("a|x_y", "b|x_y", "c|x.y"), adapters.NameOptions{})
	if !errors.Is(err, adapters.ErrNameCollision) || len(names) != 3 || names[0] != "" || names[1] != "" || !strings.HasPrefix(names[2], "x_y_") {
		t.Errorf("got %q, %v", names, err)
	}
}

func TestAssignNamesBadOptions(t *testing.T) {
	for _, opts := range []adapters.NameOptions{
		{Separator: "."}, {Separator: "/", Prefix: true}, {Separator: "_________"}, {Collision: "last"}, {Separator: "\x1b\n"},
	} {
		_, err := adapters.AssignNames(named("a|b"), opts)
		if !errors.Is(err, adapters.ErrBadOption) {
			t.Errorf("%+v: got %v", opts, err)
		} else if strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("control characters in %q", err)
		}
	}
}

// An adversary who knows the hashes can take the names that they give.
func TestAssignNamesContrived(t *testing.T) {
	victim := adapters.Named{Server: "a", Tool: strings.Repeat("x", 70)}
	tools := []adapters.Named{victim}
	seen := map[string]bool{}
	for range 20 {
		names, err := adapters.AssignNames(tools, adapters.NameOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, names)
		if seen[names[0]] {
			t.Fatalf("%q again", names[0])
		}
		seen[names[0]] = true
		tools = append(tools, adapters.Named{Server: "evil", Tool: names[0]})
	}
}

var legal = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

func checkNames(t *testing.T, names []string) {
	t.Helper()
	taken := map[string]bool{}
	for _, name := range names {
		if name == "" {
			continue
		}
		key := strings.ToUpper(name)
		if !legal.MatchString(name) || taken[key] {
			t.Errorf("name %q of %q", name, names)
		}
		taken[key] = true
	}
}

// Whatever the tools are called, the order in which they come changes nothing.
func TestAssignNamesAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "A", "b", ".", "/", "_", "-", "é", "1", " ", strings.Repeat("x", 40)}
	word := func() string {
		var b strings.Builder
		for range 1 + random.IntN(3) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	for range 500 {
		var tools []adapters.Named
		for range 20 {
			tools = append(tools, adapters.Named{Server: word(), Tool: word()})
		}
		for _, opts := range []adapters.NameOptions{{Prefix: true}, {Collision: adapters.CollisionPrefix}} {
			names, err := adapters.AssignNames(tools, opts)
			if err != nil {
				t.Fatal(err)
			}
			checkNames(t, names)
			of := map[adapters.Named]string{}
			for i, tool := range tools {
				if of[tool] == "" {
					of[tool] = names[i]
				}
			}
			shuffled := slices.Clone(tools)
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			again, err := adapters.AssignNames(shuffled, opts)
			if err != nil {
				t.Fatal(err)
			}
			for i, tool := range shuffled {
				if again[i] != "" && again[i] != of[tool] {
					t.Fatalf("%v: %q, then %q", tool, of[tool], again[i])
				}
			}
		}
		first, err := adapters.AssignNames(tools, adapters.NameOptions{Collision: adapters.CollisionFirst})
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, first)
	}
}

func FuzzAssignNames(f *testing.F) {
	f.Add("a|x\nb|x", true, "_")
	f.Add("a|\xff\nb|\x00", false, "-")
	f.Fuzz(func(t *testing.T, tools string, prefix bool, separator string) {
		names, err := adapters.AssignNames(named(strings.Split(tools, "\n")...), adapters.NameOptions{
			Prefix: prefix, Separator: separator, Collision: adapters.CollisionFirst,
		})
		if err == nil {
			checkNames(t, names)
		} else if !errors.Is(err, adapters.ErrBadOption) {
			t.Error(err)
		}
	})
}

func ExampleAssignNames() {
	names, err := adapters.AssignNames([]adapters.Named{
		{Server: "files", Tool: "read"},
		{Server: "git", Tool: "read"},
		{Server: "git", Tool: "commit.create"},
	}, adapters.NameOptions{Collision: adapters.CollisionPrefix})
	fmt.Println(names, err)
	// Output: [files_read git_read commit_create] <nil>
}
