package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestOptionsThatCannotBe(t *testing.T) {
	_, err := multiclient.New(nil, &multiclient.Options{
		LogLevel:          "warn",
		ToolNameSeparator: "::",
		Tool:              adapters.ToolOptions{SchemaProfile: "chatgpt", ArgumentCheck: 99, ToolErrors: 17, TransportErrors: -1},
		ConnectTimeout:    -1,
		MaxConnecting:     -1,
		MaxTools:          -2,
		MaxPages:          -3,
		Reconnect:         multiclient.Reconnect{Delay: -1, CoolDown: -1},
	})
	if err == nil {
		t.Fatal("they were taken")
	}
	for _, want := range []string{
		`LogLevel is "warn": use one of`, `"warning"`, `"::"`, `Tool.SchemaProfile is "chatgpt": use one of`, `"portable"`,
		"Tool.ArgumentCheck is 99", "Tool.ToolErrors is 17", "Tool.TransportErrors is -1", "ConnectTimeout is negative", "MaxConnecting is negative (-1)", "MaxTools is negative (-2)",
		"MaxPages is negative (-3)", "Reconnect.Delay is negative", "Reconnect.CoolDown is negative",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for _, level := range []mcp.LoggingLevel{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		newClient(t, nil, &multiclient.Options{LogLevel: level})
	}
}

// A separator alone prefixes nothing, which is not what its program wants.
func TestSeparatorWithoutPrefix(t *testing.T) {
	for _, test := range []struct {
		opts multiclient.Options
		ok   bool
	}{
		{multiclient.Options{ToolNameSeparator: "-"}, false},
		{multiclient.Options{ToolNameSeparator: "-", Collisions: adapters.CollisionFirst}, false},
		{multiclient.Options{ToolNameSeparator: "-", ToolNamePrefix: true}, true},
		{multiclient.Options{ToolNameSeparator: "-", Collisions: adapters.CollisionPrefix}, true},
	} {
		c, err := multiclient.New(nil, &test.opts)
		if err == nil {
			c.Close()
		}
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "option ToolNameSeparator has no effect: set ToolNamePrefix too") {
			t.Errorf("%+v: got %v", test.opts, err)
		}
	}
}

type (
	greetParams struct {
		mcp.ParamsBase
		Name string `json:"name"`
	}
	greetResult struct {
		mcp.ResultBase
		Greeting string `json:"greeting"`
	}
)

// A method of an extension works on a leased session.
func TestClientIsConfigured(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.process() || w.name == "sse/2025-11-25" {
			return // its server has no such method, or cannot have it
		}
		s := testserver.New("one")
		err := mcp.AddReceivingCustomMethod(s.Server, "example/greet", func(_ context.Context, _ *mcp.ServerSession, p *greetParams) (*greetResult, error) {
			return &greetResult{Greeting: "hello " + p.Name}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var clients atomic.Int32
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{
			ConfigureClient: func(server string, client *mcp.Client) {
				clients.Add(1)
				if err := mcp.AddSendingCustomMethod[*greetParams, *greetResult](client, "example/greet"); err != nil || server != "one" {
					t.Errorf("server %q: %v", server, err)
				}
			},
		})
		leased, release, err := c.Session(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		res, err := mcp.CallCustomMethod[*greetParams, *greetResult](t.Context(), leased, "example/greet", &greetParams{Name: "Ada"})
		if err != nil || res.Greeting != "hello Ada" {
			t.Errorf("got %+v, %v", res, err)
		}
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		if n := clients.Load(); n != 1 {
			t.Errorf("%d clients were configured, want 1", n)
		}
	})
}

func TestConfiguringPanics(t *testing.T) {
	leak.Check(t)
	s := testserver.New("one")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server}}, &multiclient.Options{
		ConfigureClient: func(string, *mcp.Client) { panic("boo") },
	})
	_, err := c.Tools(t.Context())
	if !errors.Is(err, multiclient.ErrUnavailable) || !strings.Contains(err.Error(), "ConfigureClient panicked: boo") {
		t.Errorf("got %v", err)
	}
}
