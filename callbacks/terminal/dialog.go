package terminal

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// dialog is one elicitation on the screen: a page for each question and a last
// one that sends, declines or cancels.
//
// It is a program of its own rather than huh.Form.Run, since that leaves the
// form on the screen when the context ends.
type dialog struct {
	form      *huh.Form
	pages     []page
	questions []*question
	review    *huh.Select[string] // nil if there is nothing but a URL to visit
	preface   string              // what to print before, without a newline, or empty
	choice    string              // on the last page
	action    string              // how it was answered, empty if it was not
	done      bool
	stop      func() // ends the keys
	drained   bool   // all keys are handled
	width     int
	cells     int // lines of the summary
}

// page is what a form shows at a time, and how many lines it likes to have.
type page struct {
	huh.Field
	height int
}

// answered ends the dialog from outside. The action is empty if nobody waits
// for an answer any more.
type answered struct{ action string }

// newDialog reads what is asked, for a terminal of this size. The error is for
// the server.
func newDialog(cc callbacks.CallbackContext, params *mcp.ElicitParams, width, height int) (*dialog, error) {
	d := &dialog{width: width, cells: cells(height)}
	switch {
	case params.Mode == "url" || params.Mode == "" && params.URL != "":
		if err := d.visitPage(cc.ServerName, params.URL); err != nil {
			return nil, err
		}
	case params.Mode == "form" || params.Mode == "":
		fields, err := elicitation.FieldsOf(cc, params)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			q := newQuestion(f)
			d.questions = append(d.questions, q)
			d.pages = append(d.pages, q.page(width, height))
		}
		d.reviewPage()
	default:
		return nil, fmt.Errorf("terminal: unknown elicitation mode %q", clean(params.Mode, maxLevel))
	}

	message := fit(cleanLines(params.Message, maxQuestion), width-1, clamp(height/4, 1, 10)) + "\n"
	groups := make([]*huh.Group, len(d.pages))
	for i, page := range d.pages {
		title := labelOf(cc) + " asks"
		if len(d.pages) > 1 {
			title += fmt.Sprintf(" (%d of %d)", i+1, len(d.pages))
		}
		groups[i] = huh.NewGroup(page.Field).Title(title).Description(message)
	}
	keys := huh.NewDefaultKeyMap()
	keys.Quit.SetEnabled(false)
	d.form = huh.NewForm(groups...).WithKeyMap(keys).WithTheme(huh.ThemeFunc(theme)).
		WithShowHelp(false).WithShowErrors(false)
	return d, nil
}

func (d *dialog) reviewPage() {
	title, send := "Send this answer?", "Send"
	d.choice = accept
	if len(d.questions) == 0 {
		// consent must not be given by an enter that was meant for another
		title, send = "Accept?", "Accept"
		d.choice = decline
	}
	d.review = d.lastPage(title, send).Description(d.summary())
}

// lastPage adds the page that ends the dialog.
func (d *dialog) lastPage(title, send string) *huh.Select[string] {
	s := huh.NewSelect[string]().Title(title).
		Options(huh.NewOption(send, accept), huh.NewOption("Decline", decline), huh.NewOption("Cancel", cancel)).
		Value(&d.choice)
	d.pages = append(d.pages, page{Field: s})
	return s
}

// summary has the same number of lines whatever the answers are, since huh
// measures pages only once.
func (d *dialog) summary() string {
	var lines []string
	for i, q := range d.questions {
		if i == d.cells-1 && len(d.questions) > d.cells {
			lines = append(lines, fmt.Sprintf("… and %d more", len(d.questions)-i))
			break
		}
		lines = append(lines, ansi.Truncate(q.title+": "+q.shown(), max(10, d.width-8), "…"))
	}
	return strings.Join(lines, "\n")
}

func (d *dialog) content() map[string]any {
	content := make(map[string]any)
	for _, q := range d.questions {
		if v, problem := q.value(); v != nil && problem == "" {
			content[q.field.Name] = v
		}
	}
	return content
}

// run shows the dialog until it is answered or ctx ends.
func (d *dialog) run(ctx context.Context, in, out *os.File) error {
	var p *tea.Program
	keys, err := newKeyboard(in, func() { go p.Send(answered{cancel}) })
	if err != nil {
		return err
	}
	defer keys.keys.Close()
	defer keys.stop()
	d.stop = keys.stop
	p = tea.NewProgram(d, tea.WithInput(keys), tea.WithOutput(out), tea.WithoutSignalHandler(),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			// huh asks for the size that bubbletea tells anyway, and
			// bubbletea's answer races with a resize
			if msg == tea.RequestWindowSize() {
				return nil
			}
			return msg
		}))
	defer context.AfterFunc(ctx, func() { p.Send(answered{}) })()
	_, err = p.Run()
	return err
}

func (d *dialog) Init() tea.Cmd { return d.form.Init() }

func (d *dialog) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case answered:
		return d.end(msg.action)
	case tea.WindowSizeMsg:
		d.width, d.cells = msg.Width, cells(msg.Height)
		for _, p := range d.pages {
			// huh makes pages lower on a low terminal, and never higher again
			p.WithHeight(p.height)
		}
		// the lines that View adds
		msg.Height = max(1, msg.Height-2)
		return d.forward(msg)
	case tea.KeyPressMsg:
		switch k := msg.String(); {
		case msg.Code == endOfKeys:
			d.drained = true
			return d, d.quit()
		case d.done:
			return d, nil
		case k == "ctrl+c", k == "esc" && !d.uses("esc"):
			return d.end(cancel)
		case k == "ctrl+d":
			return d.end(decline)
		}
	}
	return d.forward(msg)
}

func (d *dialog) forward(msg tea.Msg) (tea.Model, tea.Cmd) {
	if d.review != nil {
		d.review.Description(d.summary())
	}
	_, cmd := d.form.Update(msg)
	if d.form.State == huh.StateCompleted {
		return d.end(d.choice)
	}
	return d, cmd
}

func (d *dialog) end(action string) (tea.Model, tea.Cmd) {
	if d.done {
		return d, nil
	}
	d.done, d.action = true, action
	return d, d.quit()
}

// quit ends the program when the last key is handled, or at once if something
// garbled it.
func (d *dialog) quit() tea.Cmd {
	switch {
	case !d.done:
		return nil
	case d.drained:
		return tea.Quit
	}
	return tea.Batch(
		func() tea.Msg { d.stop(); return nil },
		tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return tea.Quit() }))
}

// uses says whether the page that is shown has a use of its own for a key.
func (d *dialog) uses(name string) bool {
	return slices.ContainsFunc(d.form.KeyBinds(), func(b key.Binding) bool {
		return b.Enabled() && slices.Contains(b.Keys(), name)
	})
}

// View is the page without the empty lines that huh adds to make all pages
// equally high, and the keys right below it.
func (d *dialog) View() tea.View {
	if d.done {
		return tea.NewView("")
	}
	lines := strings.Split(d.form.View(), "\n")
	for len(lines) > 0 && strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	problem := lipgloss.NewStyle().Foreground(lipgloss.Red)
	for _, err := range d.form.Errors() {
		lines = append(lines, problem.Render(ansi.Truncate("✗ "+err.Error(), d.width-1, "…")))
	}
	help := d.form.Help()
	faint := lipgloss.NewStyle().Faint(true)
	help.Styles.Ellipsis, help.Styles.ShortKey, help.Styles.ShortDesc, help.Styles.ShortSeparator = faint, faint.Bold(true), faint, faint
	keys := []key.Binding{key.NewBinding(key.WithKeys("ctrl+d"), key.WithHelp("ctrl+d", "decline"))}
	if !d.uses("esc") {
		keys = append(keys, key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "cancel")))
	}
	keys = append(keys, d.form.KeyBinds()...)
	help.SetWidth(d.width - 1)
	lines = append(lines, "", help.ShortHelpView(keys))
	return tea.NewView(strings.Join(lines, "\n"))
}

// theme uses only colours and attributes that show on any background.
func theme(dark bool) *huh.Styles {
	s := huh.ThemeBase(dark)
	for _, f := range []*huh.FieldStyles{&s.Focused, &s.Blurred} {
		f.Title = f.Title.Bold(true)
		f.NoteTitle = f.NoteTitle.Bold(true)
		f.Description = f.Description.Faint(true)
		f.SelectedOption = f.SelectedOption.Bold(true)
		f.FocusedButton = f.FocusedButton.UnsetForeground().UnsetBackground().Reverse(true)
		f.BlurredButton = f.BlurredButton.UnsetForeground().UnsetBackground()
	}
	s.Group.Title = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	return s
}

// fit wraps a text to a width and cuts it to a number of lines.
func fit(s string, width, height int) string {
	lines := strings.Split(ansi.Wrap(s, max(1, width), ""), "\n")
	if len(lines) > height {
		lines = append(lines[:height-1], "…")
	}
	return strings.Join(lines, "\n")
}

// cells is how many lines the summary may take.
func cells(height int) int { return max(1, height-height/4-9) }

func clamp(n, lower, upper int) int { return max(lower, min(n, upper)) }
