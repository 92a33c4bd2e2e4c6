package main

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestProblemsOf(t *testing.T) {
	server := &multiclient.Error{
		Kind: multiclient.ErrUnavailable, Phase: multiclient.PhaseConnect, Server: "s", Tool: "t", Status: 503,
		Detail: "maintenance", Err: errors.New("no session"),
	}
	ofServer := problem{
		Kind: "server unavailable", Phase: "connect", Server: "s", Tool: "t", Status: 503,
		Detail: "maintenance", Message: "HTTP status 503: server unavailable: no session",
	}
	for _, test := range []struct {
		name   string
		err    error
		want   []problem
		status int
	}{
		{"none", nil, nil, statusOK},
		{"server", fmt.Errorf("wrapped: %w", server), []problem{ofServer}, statusFailed},
		{"without a cause", &multiclient.Error{Kind: multiclient.ErrLost, Phase: multiclient.PhaseCall, Server: "s"},
			[]problem{{Kind: string(multiclient.ErrLost), Phase: "call", Server: "s", Message: string(multiclient.ErrLost)}}, statusFailed},
		{"kind that says nothing", &multiclient.Error{Kind: multiclient.ErrFailed, Phase: multiclient.PhaseList, Server: "s", Err: errors.New("why")},
			[]problem{{Kind: "failed", Phase: "list", Server: "s", Message: "why"}}, statusFailed},
		{"answer that the detail has", &multiclient.Error{
			Kind: multiclient.ErrRefused, Phase: multiclient.PhaseCall, Server: "s", Status: 401, Detail: `the server answered "who?"`,
			Err: errors.New(`calling "tools/call": HTTP 401 Unauthorized: who?`),
		}, []problem{{Kind: "refused by the server", Phase: "call", Server: "s", Status: 401, Detail: `the server answered "who?"`, Message: "HTTP status 401: refused by the server"}}, statusFailed},
		{"why nobody is signed in", &multiclient.Error{
			Kind: multiclient.ErrRefused, Phase: multiclient.PhaseCall, Server: "s", Status: 401, Err: errors.New(`calling "tools/call": the user declined`),
		}, []problem{{Kind: "refused by the server", Phase: "call", Server: "s", Status: 401, Message: `HTTP status 401: refused by the server: calling "tools/call": the user declined`}}, statusFailed},
		{"-timeout", &multiclient.Error{Kind: multiclient.ErrFailed, Phase: multiclient.PhaseList, Server: "s", Err: timeoutError(time.Second)},
			[]problem{{Kind: "timeout", Phase: "list", Server: "s", Message: "the -timeout of 1s has passed"}}, statusFailed},
		{"configuration", configError{&config.Error{File: "f", Faults: []config.Fault{{Problem: "bad", File: "f", Line: 2, Column: 3}, {Server: "s", Key: "k", Problem: "worse"}}}},
			[]problem{{Kind: kindConfiguration, File: "f", Line: 2, Column: 3, Message: "f:2:3: bad"}, {Kind: kindConfiguration, Server: "s", Key: "k", Message: "worse"}}, statusUsage},
		{"several", errors.Join(usageError("u"), errors.Join(server, errors.New("other"))),
			[]problem{{Kind: kindUsage, Message: "u"}, ofServer, {Kind: "failed", Message: "other"}}, statusUsage},
	} {
		out := outcome{}
		out.fail(test.err)
		if diff := cmp.Diff(test.want, out.Errors); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if got := out.status(); got != test.status {
			t.Errorf("%s: status is %d, want %d", test.name, got, test.status)
		}
	}
}

// TestOnlyBroken: each failure is told once.
func TestOnlyBroken(t *testing.T) {
	config := configure(t, entries{"a": stdio("nonesuch-a"), "b": stdio("nonesuch-b")})
	for _, verb := range []string{"servers", "tools", "prompts", "resources"} {
		problems := errorsOf(t, inspect(t, "-config", config, "-json", verb))
		if len(problems) != 2 || problems[0].Server != "a" || problems[1].Server != "b" {
			t.Errorf("%s: problems are %+v, want one of a and one of b", verb, problems)
		}
	}
}
