package logging_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/logging"
)

var (
	everything = &logging.Options{Progress: true, Connections: true, Changes: true, Tools: true, TransportErrors: true}
	whose      = callbacks.CallbackContext{ServerName: "files", ToolName: "index", CallID: "c1"}
)

// lines returns the fields of the lines that use logs, without their time.
func lines(t *testing.T, level slog.Level, opts *logging.Options, use func(cb callbacks.Callbacks)) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	use(logging.New(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})), opts))
	var all []map[string]any
	for line := range bytes.Lines(out.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		delete(fields, "time")
		all = append(all, fields)
	}
	return all
}

func TestLogMessages(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	// line returns the fields that the lines of these tests have, and more.
	line := func(level, msg string, more fields) []fields {
		all := fields{"level": level, "msg": msg, "server": "files", "tool": "index", "call": "c1"}
		maps.Copy(all, more)
		return []fields{all}
	}
	long := strings.Repeat("a", 5000)
	for name, tt := range map[string]struct {
		params mcp.LoggingMessageParams
		cc     func(*callbacks.CallbackContext)
		opts   *logging.Options
		min    slog.Level
		want   []fields
	}{
		"debug":     {params: mcp.LoggingMessageParams{Level: "debug", Data: "x"}, want: line("DEBUG", "x", nil)},
		"info":      {params: mcp.LoggingMessageParams{Level: "info", Data: "x"}, want: line("INFO", "x", nil)},
		"notice":    {params: mcp.LoggingMessageParams{Level: "notice", Data: "x"}, want: line("INFO+2", "x", nil)},
		"warning":   {params: mcp.LoggingMessageParams{Level: "warning", Data: "x"}, want: line("WARN", "x", nil)},
		"error":     {params: mcp.LoggingMessageParams{Level: "error", Data: "x"}, want: line("ERROR", "x", nil)},
		"critical":  {params: mcp.LoggingMessageParams{Level: "critical", Data: "x"}, want: line("ERROR+4", "x", nil)},
		"alert":     {params: mcp.LoggingMessageParams{Level: "alert", Data: "x"}, want: line("ERROR+8", "x", nil)},
		"emergency": {params: mcp.LoggingMessageParams{Level: "emergency", Data: "x"}, want: line("ERROR+12", "x", nil)},
		"no such level": {
			params: mcp.LoggingMessageParams{Level: "fatal", Data: "x"},
			want:   line("INFO", "x", fields{"severity": "fatal"}),
		},
		"not enabled": {params: mcp.LoggingMessageParams{Level: "info", Data: "x"}, min: slog.LevelWarn},
		"logger":      {params: mcp.LoggingMessageParams{Level: "info", Logger: "disk", Data: "x"}, want: line("INFO", "x", fields{"logger": "disk"})},
		"dropped": {
			params: mcp.LoggingMessageParams{Level: "info", Data: "x"},
			cc:     func(cc *callbacks.CallbackContext) { cc.Dropped = 7 },
			want:   line("INFO", "x", fields{"dropped": 7.}),
		},
		"ambiguous": {
			params: mcp.LoggingMessageParams{Level: "info", Data: "x"},
			cc: func(cc *callbacks.CallbackContext) {
				*cc = callbacks.CallbackContext{ServerName: "files", Candidates: []string{"index", "search"}}
			},
			want: []fields{{"level": "INFO", "msg": "x", "server": "files", "candidates": "index, search"}},
		},
		"of no call": {
			params: mcp.LoggingMessageParams{Level: "info", Data: "x"},
			cc:     func(cc *callbacks.CallbackContext) { *cc = callbacks.CallbackContext{ServerName: "files"} },
			want:   []fields{{"level": "INFO", "msg": "x", "server": "files"}},
		},
		"empty text": {params: mcp.LoggingMessageParams{Level: "info", Data: ""}, want: line("INFO", "", nil)},
		"object": {
			params: mcp.LoggingMessageParams{Level: "info", Data: fields{"a": []any{"<b>", nil}}},
			want:   line("INFO", "log message", fields{"data": fields{"a": []any{"<b>", nil}}}),
		},
		"null":   {params: mcp.LoggingMessageParams{Level: "info"}, want: line("INFO", "log message", fields{"data": nil})},
		"number": {params: mcp.LoggingMessageParams{Level: "info", Data: 1.5}, want: line("INFO", "log message", fields{"data": 1.5})},
		"no JSON": {
			params: mcp.LoggingMessageParams{Level: "info", Data: func() {}},
			want:   line("INFO", "log message", fields{"data": "json: unsupported type: func()"}),
		},
		"long text": {
			params: mcp.LoggingMessageParams{Level: "info", Data: long},
			want:   line("INFO", long[:4096]+"... (5000 bytes)", nil),
		},
		"long everything": {
			params: mcp.LoggingMessageParams{Level: "information", Logger: "disk drive", Data: fields{"long": "long"}},
			opts:   &logging.Options{MaxSize: 5},
			want: line("INFO", "log m... (11 bytes)", fields{
				"severity": "infor... (11 bytes)", "logger": "disk ... (10 bytes)", "data": `{"lon... (15 bytes)`,
			}),
		},
		"cut between characters": {
			params: mcp.LoggingMessageParams{Level: "info", Data: "äöüß"},
			opts:   &logging.Options{MaxSize: 5},
			want:   line("INFO", "äö... (8 bytes)", nil),
		},
		"cut to nothing": {
			params: mcp.LoggingMessageParams{Level: "info", Data: "äöü"},
			opts:   &logging.Options{MaxSize: -1},
			cc:     func(cc *callbacks.CallbackContext) { cc.ToolName = "" },
			want:   []fields{{"level": "INFO", "msg": "... (6 bytes)", "server": "files", "call": "c1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cc := whose
			if tt.cc != nil {
				tt.cc(&cc)
			}
			if tt.min == 0 {
				tt.min = slog.LevelDebug
			}
			got := lines(t, tt.min, tt.opts, func(cb callbacks.Callbacks) { cb.OnLoggingMessage(t.Context(), cc, &tt.params) })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherEvents(t *testing.T) {
	t.Parallel()
	type fields = map[string]any
	server := callbacks.CallbackContext{ServerName: "files"}
	lost := errors.New("connection reset")
	for name, tt := range map[string]struct {
		use  func(ctx context.Context, cb callbacks.Callbacks)
		want fields
	}{
		"progress": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnProgress(ctx, whose, &mcp.ProgressNotificationParams{Progress: 3, Total: 10, Message: "reading"})
			},
			fields{"level": "DEBUG", "msg": "progress", "server": "files", "tool": "index", "call": "c1", "progress": 3., "total": 10., "message": "reading"},
		},
		"progress without an end": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnProgress(ctx, whose, &mcp.ProgressNotificationParams{Progress: 3})
			},
			fields{"level": "DEBUG", "msg": "progress", "server": "files", "tool": "index", "call": "c1", "progress": 3.},
		},
		"connecting": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnConnectionState(ctx, server, callbacks.ConnectionChange{State: callbacks.Connecting, Generation: 2})
			},
			fields{"level": "DEBUG", "msg": "connection", "server": "files", "state": "connecting", "generation": 2.},
		},
		"connected": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnConnectionState(ctx, server, callbacks.ConnectionChange{State: callbacks.Connected, Generation: 2})
			},
			fields{"level": "INFO", "msg": "connection", "server": "files", "state": "connected", "generation": 2.},
		},
		"disconnected": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnConnectionState(ctx, server, callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: 2, Err: lost})
			},
			fields{"level": "WARN", "msg": "connection", "server": "files", "state": "disconnected", "generation": 2., "error": "connection reset"},
		},
		"disconnected as it should": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnConnectionState(ctx, server, callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: 2})
			},
			fields{"level": "INFO", "msg": "connection", "server": "files", "state": "disconnected", "generation": 2.},
		},
		"tools": {
			func(ctx context.Context, cb callbacks.Callbacks) { cb.OnToolsListChanged(ctx, server, nil) },
			fields{"level": "DEBUG", "msg": "tools changed", "server": "files"},
		},
		"tools in detail": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnToolsChanged(ctx, server, callbacks.ToolsChange{
					Added: []*mcp.Tool{{Name: "a"}, {Name: "b"}}, Changed: []*mcp.Tool{{Name: "c"}},
				})
			},
			fields{"level": "DEBUG", "msg": "tools differ", "server": "files", "added": "a, b", "changed": "c"},
		},
		"prompts in detail": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnPromptsChanged(ctx, server, callbacks.PromptsChange{Removed: []*mcp.Prompt{{Name: "p"}}})
			},
			fields{"level": "DEBUG", "msg": "prompts differ", "server": "files", "removed": "p"},
		},
		"resources in detail": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnResourcesChanged(ctx, server, callbacks.ResourcesChange{Changed: []*mcp.Resource{{Name: "r", URI: "file:///r"}}})
			},
			fields{"level": "DEBUG", "msg": "resources differ", "server": "files", "changed": "file:///r"},
		},
		"prompts": {
			func(ctx context.Context, cb callbacks.Callbacks) { cb.OnPromptsListChanged(ctx, server, nil) },
			fields{"level": "DEBUG", "msg": "prompts changed", "server": "files"},
		},
		"resources": {
			func(ctx context.Context, cb callbacks.Callbacks) { cb.OnResourcesListChanged(ctx, server, nil) },
			fields{"level": "DEBUG", "msg": "resources changed", "server": "files"},
		},
		"resource": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnResourceUpdated(ctx, server, &mcp.ResourceUpdatedNotificationParams{URI: "file:///a"})
			},
			fields{"level": "DEBUG", "msg": "resource updated", "server": "files", "uri": "file:///a"},
		},
		"elicitation": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnElicitationComplete(ctx, whose, &mcp.ElicitationCompleteParams{ElicitationID: "e1"})
			},
			fields{"level": "DEBUG", "msg": "elicitation complete", "server": "files", "tool": "index", "call": "c1", "elicitation": "e1"},
		},
		"transport error": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnMessage(ctx, server, callbacks.Message{Err: lost})
			},
			fields{"level": "WARN", "msg": "transport error", "server": "files", "error": "connection reset"},
		},
		"a message is no error": {
			func(ctx context.Context, cb callbacks.Callbacks) {
				cb.OnMessage(ctx, server, callbacks.Message{Method: "notifications/message"})
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []fields
			if tt.want != nil {
				want = []fields{tt.want}
			}
			got := lines(t, slog.LevelDebug, everything, func(cb callbacks.Callbacks) { tt.use(t.Context(), cb) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing that asks servers for something is set without being asked for, and
// no field of Callbacks, now or later, is forgotten.
func TestWhatIsSet(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"OnLoggingMessage":       "",
		"OnProgress":             "Progress",
		"OnConnectionState":      "Connections",
		"OnElicitationComplete":  "Changes",
		"OnToolsListChanged":     "Changes",
		"OnPromptsListChanged":   "Changes",
		"OnResourcesListChanged": "Changes",
		"OnResourceUpdated":      "Changes",
		"OnToolsChanged":         "Tools",
		"OnPromptsChanged":       "Tools",
		"OnResourcesChanged":     "Tools",
		"OnMessage":              "TransportErrors",
		// A log answers no requests.
		"OnElicitation": "never", "URLElicitation": "never",
		"OnSampling": "never", "Sampling": "never",
		"OnListRoots": "never",
	}
	options := map[string]*logging.Options{
		"":                nil,
		"Progress":        {Progress: true},
		"Connections":     {Connections: true},
		"Changes":         {Changes: true},
		"Tools":           {Tools: true},
		"TransportErrors": {TransportErrors: true},
	}
	for name, opts := range options {
		cb := reflect.ValueOf(logging.New(nil, opts))
		for i := range cb.NumField() {
			field := cb.Type().Field(i).Name
			option, ok := want[field]
			if !ok {
				t.Errorf("say here when %s is logged", field)
			}
			if got, want := !cb.Field(i).IsZero(), option == "" || option == name; got != want {
				t.Errorf("option %q: %s set is %v, want %v", name, field, got, want)
			}
		}
	}
}

// The handlers of log/slog let no control character through, wherever it is.
func TestControlCharactersAreQuoted(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\nlevel=ERROR\u202e\x00b"
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			cb := logging.New(slog.New(handler(&out)), everything)
			cc := callbacks.CallbackContext{ServerName: evil, ToolName: evil, CallID: evil, Candidates: []string{evil}}
			for _, data := range []any{evil, map[string]any{evil: evil}} {
				out.Reset()
				cb.OnLoggingMessage(t.Context(), cc, &mcp.LoggingMessageParams{Level: evil, Logger: evil, Data: data})
				if line := strings.TrimSuffix(out.String(), "\n"); line == "" || strings.ContainsAny(line, "\x1b\n\x00") {
					t.Errorf("got %q", line)
				}
			}
		})
	}
}

func TestNilLogger(t *testing.T) {
	t.Parallel()
	logging.New(nil, nil).OnLoggingMessage(t.Context(), whose, &mcp.LoggingMessageParams{Level: "emergency", Data: "x"})
}

func TestLoggingConcurrent(t *testing.T) {
	t.Parallel()
	const calls = 20
	got := lines(t, slog.LevelDebug, everything, func(cb callbacks.Callbacks) {
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() {
				cb.OnLoggingMessage(t.Context(), whose, &mcp.LoggingMessageParams{Level: "info", Data: []any{"x"}})
			})
		}
		wg.Wait()
	})
	if len(got) != calls {
		t.Errorf("%d lines, want %d", len(got), calls)
	}
}
