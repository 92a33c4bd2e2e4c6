package terminal

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"
	"unicode"

	"charm.land/bubbles/v2/cursor"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Whatever a server asks, on a terminal of whatever size, and whatever keys are
// pressed: no panic, and nothing of the server's but text that prints.
func FuzzDialog(f *testing.F) {
	f.Add(`{"properties": {"a": {"type": "string", "minLength": 2}, "b": {"type": "boolean"}}, "required": ["b"]}`, "who?", "ab\r\ty\r\r", 80, 24)
	f.Add(`{"properties": {"a": {"type": "array", "items": {"enum": ["x", "y", "\u001b"]}}, "c": {"enum": ["1", "2"]}}}`, "\x1b[2J", " jx\r/q\rj\r\r", 10, 3)
	f.Add(`{"properties": {"a": {"type": "number", "default": 1e300, "title": "\u202e"}}}`, "\n\n\n", "\r\r", 1, 1)
	f.Fuzz(func(t *testing.T, schema, message, keys string, width, height int) {
		if width < 1 || width > 500 || height < 1 || height > 200 || len(keys) > 50 {
			return
		}
		// In a bubble, since the cursor blinks.
		synctest.Test(t, func(t *testing.T) { drive(t, schema, message, keys, width, height) })
	})
}

func drive(t *testing.T, schema, message, keys string, width, height int) {
	cc := callbacks.CallbackContext{ServerName: "s", ToolName: message}
	d, err := newDialog(cc, &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}, width, height)
	if err != nil {
		return
	}
	d.stop = func() {}
	run(d, d.Init())
	send(d, tea.WindowSizeMsg{Width: width, Height: height})
	shown(t, d)
	for i, k := range keys {
		msg := tea.KeyPressMsg{Code: k, Text: string(k)}
		switch k {
		case '\r':
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case '\t':
			msg = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
		case '\b':
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		default:
			if !unicode.IsPrint(k) {
				continue // the user's own doing
			}
		}
		send(d, msg)
		if i == 3 {
			send(d, tea.WindowSizeMsg{Width: 1 + height, Height: 1 + width/2})
		}
		shown(t, d)
	}
	d.content()
}

func send(d *dialog, msg tea.Msg) {
	_, cmd := d.Update(msg)
	run(d, cmd)
}

// run does what commands ask for, as bubbletea does, except for blinking on
// and on.
func run(d *dialog, cmd tea.Cmd) {
	queue := []tea.Cmd{cmd}
	for n := 0; len(queue) > 0 && n < 200; n++ {
		cmd, queue = queue[0], queue[1:]
		if cmd == nil || d.done {
			continue
		}
		switch msg := cmd().(type) {
		case nil, tea.QuitMsg, cursor.BlinkMsg:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		default:
			// the type of tea.Sequence is not exported
			if v := reflect.ValueOf(msg); v.CanConvert(reflect.TypeFor[[]tea.Cmd]()) {
				queue = append(queue, v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd)...)
				continue
			}
			_, next := d.Update(msg)
			queue = append(queue, next)
		}
	}
}

func shown(t *testing.T, d *dialog) {
	t.Helper()
	for _, r := range ansi.Strip(d.View().Content) {
		if r != '\n' && r != '\u200c' && r != '\u200d' && !unicode.IsPrint(r) {
			t.Fatalf("the view holds %U: %q", r, d.View().Content)
		}
	}
}
