package logging

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Options of [New]. The zero value logs what servers log, and nothing else.
type Options struct {
	// Progress also logs the progress of calls, at debug level. Servers are
	// then asked for progress on every call, also while the logger is not
	// enabled for it.
	Progress bool

	// Connections also logs what becomes of the connections to servers: at
	// warn level when one is lost or fails, at info level when there is one or
	// it is closed, and at debug level when it is being opened.
	Connections bool

	// Changes also logs, at debug level, that a list of tools, prompts or
	// resources has changed, that a resource was updated, and that an
	// elicitation is complete.
	Changes bool

	// Tools also logs, at debug level, which tools, prompts and resources were
	// added, removed or changed. Servers are then asked for those that were listed
	// before whenever they may have changed, and not only when somebody wants them.
	Tools bool

	// TransportErrors also logs the errors of transports, at warn level.
	TransportErrors bool

	// MaxSize bounds each text that comes from a server, in bytes; what is
	// longer is cut and says so. 0 means 4096; a negative value leaves nothing
	// of it.
	MaxSize int
}

// New returns callbacks that log; see [callbacks.Merge] for combining them with
// others. Nil options are the zero value; a nil logger discards. Nothing is
// waited for but the logger's handler, which runs within the callback.
//
// A log message of a server that is text becomes the message; any other is
// the attribute "data", as JSON, of the message "log message". Its level
// becomes that of the SDK's constants:
//
//	debug     -4  slog.LevelDebug
//	info       0  slog.LevelInfo
//	notice     2
//	warning    4  slog.LevelWarn
//	error      8  slog.LevelError
//	critical  12
//	alert     16
//	emergency 20
//
// Any other level is logged at info level, with the attribute "severity".
//
// All lines have the attribute "server" and, as far as they are known, "tool"
// and "call", or "candidates" if several tools are possible. Those of log
// messages have "logger" if the server names one, and "dropped" if messages
// before it were lost because there were too many.
func New(logger *slog.Logger, opts *Options) callbacks.Callbacks {
	w := writer{logger: logger}
	if logger == nil {
		w.logger = slog.New(slog.DiscardHandler)
	}
	if opts != nil {
		w.Options = *opts
	}
	if w.MaxSize == 0 {
		w.MaxSize = 4096
	}
	cb := callbacks.Callbacks{OnLoggingMessage: w.log}
	if w.Progress {
		cb.OnProgress = w.progress
	}
	if w.Connections {
		cb.OnConnectionState = w.connection
	}
	if w.Changes {
		cb.OnToolsListChanged = func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ToolListChangedParams) {
			w.write(ctx, slog.LevelDebug, cc, "tools changed")
		}
		cb.OnPromptsListChanged = func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.PromptListChangedParams) {
			w.write(ctx, slog.LevelDebug, cc, "prompts changed")
		}
		cb.OnResourcesListChanged = func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ResourceListChangedParams) {
			w.write(ctx, slog.LevelDebug, cc, "resources changed")
		}
		cb.OnResourceUpdated = func(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ResourceUpdatedNotificationParams) {
			w.write(ctx, slog.LevelDebug, cc, "resource updated", slog.String("uri", w.cut(params.URI)))
		}
		cb.OnElicitationComplete = func(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ElicitationCompleteParams) {
			w.write(ctx, slog.LevelDebug, cc, "elicitation complete", slog.String("elicitation", w.cut(params.ElicitationID)))
		}
	}
	if w.Tools {
		cb.OnToolsChanged = differ(w, "tools differ", func(t *mcp.Tool) string { return t.Name })
		cb.OnPromptsChanged = differ(w, "prompts differ", func(p *mcp.Prompt) string { return p.Name })
		cb.OnResourcesChanged = differ(w, "resources differ", func(r *mcp.Resource) string { return r.URI })
	}
	if w.TransportErrors {
		cb.OnMessage = func(ctx context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			if msg.Err != nil {
				w.write(ctx, slog.LevelWarn, cc, "transport error", slog.String("error", w.cut(msg.Err.Error())))
			}
		}
	}
	return cb
}

// A writer does not change once it is made.
type writer struct {
	Options
	logger *slog.Logger
}

func (w writer) log(ctx context.Context, cc callbacks.CallbackContext, params *mcp.LoggingMessageParams) {
	level, known := levelOf(params.Level)
	if !w.logger.Enabled(ctx, level) {
		return // before anything is made of the data
	}
	var attrs []slog.Attr
	if !known {
		attrs = append(attrs, slog.String("severity", w.cut(string(params.Level))))
	}
	if params.Logger != "" {
		attrs = append(attrs, slog.String("logger", w.cut(params.Logger)))
	}
	if cc.Dropped > 0 {
		attrs = append(attrs, slog.Int("dropped", cc.Dropped))
	}
	text, isText := params.Data.(string)
	if !isText {
		text = "log message"
		attrs = append(attrs, slog.Any("data", w.data(params.Data)))
	}
	w.write(ctx, level, cc, w.cut(text), attrs...)
}

func (w writer) progress(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ProgressNotificationParams) {
	attrs := []slog.Attr{slog.Float64("progress", params.Progress)}
	if params.Total != 0 {
		attrs = append(attrs, slog.Float64("total", params.Total))
	}
	if params.Message != "" {
		attrs = append(attrs, slog.String("message", w.cut(params.Message)))
	}
	w.write(ctx, slog.LevelDebug, cc, "progress", attrs...)
}

func (w writer) connection(ctx context.Context, cc callbacks.CallbackContext, change callbacks.ConnectionChange) {
	level := slog.LevelInfo
	switch {
	case change.State == callbacks.Connecting:
		level = slog.LevelDebug
	case change.State == callbacks.Disconnected && change.Err != nil:
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("state", string(change.State)), slog.Int("generation", change.Generation)}
	if change.Err != nil {
		attrs = append(attrs, slog.String("error", w.cut(change.Err.Error())))
	}
	w.write(ctx, level, cc, "connection", attrs...)
}

// differ returns what logs a change of a list, by the names of its entries.
func differ[T any](w writer, text string, name func(T) string) func(context.Context, callbacks.CallbackContext, callbacks.Change[T]) {
	return func(ctx context.Context, cc callbacks.CallbackContext, change callbacks.Change[T]) {
		var attrs []slog.Attr
		for _, part := range []struct {
			name    string
			entries []T
		}{{"added", change.Added}, {"removed", change.Removed}, {"changed", change.Changed}} {
			var names []string
			for _, entry := range part.entries {
				names = append(names, name(entry))
			}
			if len(names) > 0 {
				attrs = append(attrs, slog.String(part.name, w.cut(strings.Join(names, ", "))))
			}
		}
		w.write(ctx, slog.LevelDebug, cc, text, attrs...)
	}
}

// write logs a line with the attributes that say whose event it is.
func (w writer) write(ctx context.Context, level slog.Level, cc callbacks.CallbackContext, text string, attrs ...slog.Attr) {
	whose := []slog.Attr{slog.String("server", cc.ServerName)}
	if cc.ToolName != "" {
		whose = append(whose, slog.String("tool", w.cut(cc.ToolName)))
	}
	if cc.CallID != "" {
		whose = append(whose, slog.String("call", cc.CallID))
	}
	if len(cc.Candidates) > 0 {
		whose = append(whose, slog.String("candidates", w.cut(strings.Join(cc.Candidates, ", "))))
	}
	w.logger.LogAttrs(ctx, level, text, append(whose, attrs...)...)
}

// data returns a value that handlers write as JSON, or text if it is cut.
func (w writer) data(v any) any {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return w.cut(err.Error())
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(text) > w.MaxSize {
		return w.cut(string(text))
	}
	return json.RawMessage(text)
}

// cut returns at most MaxSize bytes of s, of whole characters, and how much
// there was.
func (w writer) cut(s string) string {
	if len(s) <= w.MaxSize {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(s[:max(w.MaxSize, 0)], ""), len(s))
}

// levelOf returns the level that a level of the protocol becomes, and whether
// it is one.
func levelOf(level mcp.LoggingLevel) (_ slog.Level, known bool) {
	switch level {
	case "debug":
		return mcp.LevelDebug, true
	case "info":
		return mcp.LevelInfo, true
	case "notice":
		return mcp.LevelNotice, true
	case "warning":
		return mcp.LevelWarning, true
	case "error":
		return mcp.LevelError, true
	case "critical":
		return mcp.LevelCritical, true
	case "alert":
		return mcp.LevelAlert, true
	case "emergency":
		return mcp.LevelEmergency, true
	}
	return slog.LevelInfo, false
}
