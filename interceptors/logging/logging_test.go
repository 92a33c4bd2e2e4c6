package logging_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/logging"
)

var (
	errFailure = errors.New("connection refused")
	fine       = &mcp.CallToolResult{
		Meta:              mcp.Meta{"secret": "meta"},
		Content:           []mcp.Content{&mcp.TextContent{Text: "sunny"}},
		StructuredContent: map[string]any{"temperature": 21},
	}
	toolFailed = &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "no such city"}}, IsError: true}
)

// returning is a tool that takes a second.
func returning(res *mcp.CallToolResult, err error) interceptors.Handler {
	return func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		<-time.After(time.Second) // by the clock of the bubble
		return res, err
	}
}

// line calls the tool through a logging interceptor and returns the fields of
// the line it logs, without time and message; nil if it logs none.
func line(t *testing.T, min slog.Level, opts *logging.Options, tool interceptors.Handler, arguments map[string]any) map[string]any {
	t.Helper()
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: min}))
	synctest.Test(t, func(t *testing.T) {
		_, _ = interceptors.Chain(tool, logging.New(logger, opts))(t.Context(), &interceptors.Request{
			ServerName: "weather",
			ToolName:   "forecast",
			Arguments:  arguments,
			Headers:    http.Header{"Authorization": {"Bearer secret"}},
			Meta:       mcp.Meta{"secret": "meta"},
		})
	})
	if strings.Contains(out.String(), "secret") {
		t.Errorf("headers or metadata are in the log: %s", out.String())
	}
	if out.Len() == 0 {
		return nil
	}
	var fields map[string]any
	if err := json.Unmarshal(out.Bytes(), &fields); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if fields["msg"] != "tool call" {
		t.Errorf("message is %q, want tool call", fields["msg"])
	}
	delete(fields, "msg")
	delete(fields, "time")
	return fields
}

func TestLogging(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	// with returns the fields that every line has, and more.
	with := func(level, outcome string, more fields) fields {
		all := fields{"level": level, "server": "weather", "tool": "forecast", "duration": 1e9, "outcome": outcome}
		maps.Copy(all, more)
		return all
	}
	city := fields{"city": "Rome"}
	everything := &logging.Options{Arguments: true, Results: true}
	tests := []struct {
		name      string
		min       slog.Level
		opts      *logging.Options
		tool      interceptors.Handler
		arguments fields
		want      fields
	}{
		{"ok", slog.LevelInfo, nil, returning(fine, nil), city, with("INFO", "ok", nil)},
		{"tool error", slog.LevelInfo, nil, returning(toolFailed, nil), city, with("WARN", "tool error", nil)},
		{"error", slog.LevelInfo, nil, returning(nil, errFailure), city, with("ERROR", "error", fields{"error": "connection refused"})},
		{"level", slog.LevelDebug, &logging.Options{Level: slog.LevelDebug}, returning(fine, nil), city, with("DEBUG", "ok", nil)},
		{"level that is off", slog.LevelInfo, &logging.Options{Level: slog.LevelDebug}, returning(fine, nil), city, nil},
		{
			"level is for success only", slog.LevelInfo, &logging.Options{Level: slog.LevelDebug},
			returning(toolFailed, nil), city, with("WARN", "tool error", nil),
		},
		{
			"arguments", slog.LevelInfo, &logging.Options{Arguments: true}, returning(fine, nil), city,
			with("INFO", "ok", fields{"arguments": `{"city":"Rome"}`}),
		},
		{
			"results", slog.LevelInfo, &logging.Options{Results: true}, returning(fine, nil), city,
			with("INFO", "ok", fields{"result": `{"content":[{"type":"text","text":"sunny"}],"structuredContent":{"temperature":21}}`}),
		},
		{
			"both of a tool error", slog.LevelInfo, everything, returning(toolFailed, nil), city,
			with("WARN", "tool error", fields{"arguments": `{"city":"Rome"}`, "result": `{"content":[{"type":"text","text":"no such city"}]}`}),
		},
		{
			"both of an error", slog.LevelInfo, everything, returning(nil, errFailure), city,
			with("ERROR", "error", fields{"arguments": `{"city":"Rome"}`, "error": "connection refused"}),
		},
		{
			"arguments that are no JSON", slog.LevelInfo, everything, returning(nil, errFailure), fields{"x": math.NaN()},
			with("ERROR", "error", fields{"arguments": "json: unsupported value: NaN", "error": "connection refused"}),
		},
		{
			"cut", slog.LevelInfo, &logging.Options{Arguments: true, Results: true, MaxSize: 10}, returning(nil, errFailure), city,
			with("ERROR", "error", fields{"arguments": `{"city":"R... (15 bytes)`, "error": "connection... (18 bytes)"}),
		},
		{
			"cut between characters", slog.LevelInfo, &logging.Options{Arguments: true, MaxSize: 11}, returning(fine, nil), fields{"city": "R\u00f6m"},
			with("INFO", "ok", fields{"arguments": `{"city":"R... (15 bytes)`}),
		},
		{
			"cut to nothing", slog.LevelInfo, &logging.Options{Arguments: true, MaxSize: -1}, returning(fine, nil), city,
			with("INFO", "ok", fields{"arguments": `... (15 bytes)`}),
		},
		{
			"default size", slog.LevelInfo, &logging.Options{Arguments: true}, returning(fine, nil), fields{"x": strings.Repeat("a", 2000)},
			with("INFO", "ok", fields{"arguments": `{"x":"` + strings.Repeat("a", 1018) + `... (2008 bytes)`}),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, line(t, test.min, test.opts, test.tool, test.arguments)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoggingLeavesTheCallAlone(t *testing.T) {
	t.Parallel()
	for name, logger := range map[string]*slog.Logger{"nil": nil, "discarding": slog.New(slog.DiscardHandler)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				interceptor := logging.New(logger, nil)
				res, err := interceptors.Chain(returning(fine, nil), interceptor)(t.Context(), &interceptors.Request{})
				if res != fine || err != nil {
					t.Errorf("got %v, %v, want the result of the tool", res, err)
				}
				res, err = interceptors.Chain(returning(nil, errFailure), interceptor)(t.Context(), &interceptors.Request{})
				if res != nil || err != errFailure {
					t.Errorf("got %v, %v, want the error of the tool", res, err)
				}
			})
		})
	}
}

func TestLoggingConcurrent(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	interceptor := logging.New(slog.New(slog.NewTextHandler(&out, nil)), &logging.Options{Arguments: true, Results: true})
	const calls = 20
	synctest.Test(t, func(t *testing.T) {
		handler := interceptors.Chain(returning(fine, nil), interceptor)
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() {
				if _, err := handler(t.Context(), &interceptors.Request{ToolName: "forecast"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	if got := strings.Count(out.String(), "tool=forecast"); got != calls {
		t.Errorf("%d lines were logged, want %d", got, calls)
	}
}
