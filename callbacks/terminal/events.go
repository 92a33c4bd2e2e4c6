package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func (t *Terminal) progress(ctx context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
	label := labelOf(cc)
	if t.file != nil {
		key := cc.CallID
		if key == "" {
			key = fmt.Sprintf("%s %v", label, p.ProgressToken)
		}
		t.updateBar(ctx, key, label, p)
		return
	}
	line := label + ": " + counter(p.Progress, p.Total)
	if p.Total > 0 {
		line += fmt.Sprintf(" (%d%%)", int(100*fraction(p.Progress, p.Total)))
	}
	if p.Message != "" {
		line += " " + clean(p.Message, maxMessage)
	}
	t.print(line)
}

func (t *Terminal) log(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
	label := labelOf(cc)
	if cc.Dropped > 0 {
		t.print(label + ": " + plural(cc.Dropped, "log message") + " discarded, they came too fast")
	}
	level := clean(string(p.Level), maxLevel)
	if t.file != nil {
		level = levelStyle(p.Level).Render(level)
	}
	line := label + ": " + level
	if p.Logger != "" {
		line += " [" + clean(p.Logger, maxLogger) + "]"
	}
	t.print(line + ": " + clean(logText(p.Data), maxLogData))
}

// logText returns a string as it is and anything else as compact JSON.
func logText(data any) string {
	if s, ok := data.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return fmt.Sprintf("(%T that is no JSON)", data)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

func levelStyle(level mcp.LoggingLevel) lipgloss.Style {
	style := lipgloss.NewStyle()
	switch level {
	case "debug":
		return style.Faint(true)
	case "warning":
		return style.Foreground(lipgloss.Yellow)
	case "error", "critical", "alert", "emergency":
		return style.Foreground(lipgloss.Red)
	}
	return style
}
