package terminal

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxBars      = 64
	maxShownBars = 8
)

// bar is the progress of one call.
type bar struct {
	key, label      string
	progress, total float64 // total is 0 if unknown
	message         string
	news            uint64      // order of the last news
	detach          func() bool // from the context of the call
}

// updateBar makes or moves the bar of a call. A bar without anything left to
// do goes at once: the program may print the result of the call next, and knows
// nothing of bars.
func (t *Terminal) updateBar(ctx context.Context, key, label string, p *mcp.ProgressNotificationParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	i := slices.IndexFunc(t.bars, func(b *bar) bool { return b.key == key })
	if p.Total > 0 && p.Progress >= p.Total {
		if i >= 0 {
			t.removeBar(t.bars[i])
		}
		return
	}
	if i < 0 {
		if ctx.Err() != nil {
			return
		}
		if len(t.bars) == maxBars {
			t.removeBar(slices.MinFunc(t.bars, func(a, b *bar) int { return cmp.Compare(a.news, b.news) }))
		}
		b := &bar{key: key, label: label}
		b.detach = context.AfterFunc(ctx, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.removeBar(b)
		})
		i = len(t.bars)
		t.bars = append(t.bars, b)
	}
	b := t.bars[i]
	b.progress, b.total, b.message = p.Progress, p.Total, clean(p.Message, maxMessage)
	t.news++
	b.news = t.news
	t.refresh()
}

// removeBar takes a bar off the list and the screen. The caller holds mu.
func (t *Terminal) removeBar(b *bar) {
	i := slices.Index(t.bars, b)
	if i < 0 {
		return
	}
	b.detach()
	t.bars = slices.Delete(t.bars, i, i+1)
	if !t.closed && !t.suspended {
		t.flush(nil)
	}
}

// renderBars returns the lines of bars for a terminal of this size. The caller
// holds mu.
func (t *Terminal) renderBars(width, height int) []string {
	shown := t.bars[:min(len(t.bars), maxShownBars, max(1, height-3))]
	labels := 0
	for _, b := range shown {
		labels = max(labels, ansi.StringWidth(b.label))
	}
	labels = min(labels, width/3)
	var lines []string
	for _, b := range shown {
		lines = append(lines, b.render(labels, width))
	}
	if more := len(t.bars) - len(shown); more > 0 {
		lines = append(lines, ansi.Truncate(fmt.Sprintf("… and %d more", more), width-1, ""))
	}
	return lines
}

func (b *bar) render(labels, width int) string {
	label := ansi.Truncate(b.label, labels, "…")
	label += strings.Repeat(" ", max(0, labels-ansi.StringWidth(label)))
	parts := []string{label}
	if b.total > 0 {
		if drawn := min(20, width/4); drawn >= 4 {
			full := int(float64(drawn) * fraction(b.progress, b.total))
			parts = append(parts, lipgloss.NewStyle().Foreground(lipgloss.Cyan).Render(strings.Repeat("█", full))+
				strings.Repeat("░", drawn-full))
		}
		parts = append(parts, fmt.Sprintf("%3d%%", int(100*fraction(b.progress, b.total))))
	}
	parts = append(parts, counter(b.progress, b.total))
	if b.message != "" {
		parts = append(parts, lipgloss.NewStyle().Faint(true).Render(b.message))
	}
	return ansi.Truncate(strings.Join(parts, "  "), width-1, "…")
}

// fraction is from 0 to 1, whatever the server counts.
func fraction(progress, total float64) float64 {
	f := progress / total
	if !(f > 0) { // NaN too
		return 0
	}
	return min(f, 1)
}

// counter returns "3/5", or "3" if the total is unknown.
func counter(progress, total float64) string {
	if total > 0 {
		return number(progress) + "/" + number(total)
	}
	return number(progress)
}

func number(f float64) string {
	if math.Abs(f) >= 1e15 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}
