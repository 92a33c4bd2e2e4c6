package logging

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Options of [New]. The zero value is useful.
type Options struct {
	// Level of calls that went well. The zero value is [slog.LevelInfo].
	Level slog.Level

	// Arguments also logs the arguments of the call, as JSON.
	Arguments bool

	// Results also logs the content and the structured content of the result,
	// as JSON. Images and the like are encoded before they are cut.
	Results bool

	// MaxSize bounds the arguments, the result and the error of a line, in
	// bytes each; what is longer is cut and says so. 0 means 1024; a negative
	// value leaves nothing of them.
	MaxSize int
}

// New returns an interceptor that logs each call when it has returned. Nil
// options are the zero value; a nil logger discards.
//
// The message is "tool call", with the attributes
//
//   - server and tool: the names in the request that reaches the interceptor;
//   - duration: until the call returned;
//   - outcome: "ok" at [Options.Level], "tool error" (a result whose IsError
//     is set) at [slog.LevelWarn], or "error" (no result) at
//     [slog.LevelError];
//   - error: with outcome "error";
//   - arguments and result: if the options ask for them.
func New(logger *slog.Logger, opts *Options) interceptors.Interceptor {
	l := callLogger{logger: logger}
	if logger == nil {
		l.logger = slog.New(slog.DiscardHandler)
	}
	if opts != nil {
		l.Options = *opts
	}
	if l.MaxSize == 0 {
		l.MaxSize = 1024
	}
	return l.intercept
}

type callLogger struct {
	Options
	logger *slog.Logger
}

func (l *callLogger) intercept(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	start := time.Now()
	res, err := next(ctx, req)
	duration := time.Since(start)

	level, outcome := l.Level, "ok"
	switch {
	case err != nil:
		level, outcome = slog.LevelError, "error"
	case res.IsError:
		level, outcome = slog.LevelWarn, "tool error"
	}
	if !l.logger.Enabled(ctx, level) {
		return res, err
	}
	attrs := []slog.Attr{
		slog.String("server", req.ServerName),
		slog.String("tool", req.ToolName),
		slog.Duration("duration", duration),
		slog.String("outcome", outcome),
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", l.cut(err.Error())))
	}
	if l.Arguments {
		attrs = append(attrs, slog.String("arguments", l.json(req.Arguments)))
	}
	if l.Results && err == nil {
		attrs = append(attrs, slog.String("result", l.json(struct {
			Content           []mcp.Content `json:"content"`
			StructuredContent any           `json:"structuredContent,omitempty"`
		}{res.Content, res.StructuredContent})))
	}
	l.logger.LogAttrs(ctx, level, "tool call", attrs...)
	return res, err
}

func (l *callLogger) json(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return l.cut(err.Error())
	}
	return l.cut(string(data))
}

// cut returns at most MaxSize bytes of s, of whole characters, and how much
// there was.
func (l *callLogger) cut(s string) string {
	if len(s) <= l.MaxSize {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(s[:max(l.MaxSize, 0)], ""), len(s))
}
