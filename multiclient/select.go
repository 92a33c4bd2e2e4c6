package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// ErrNotAllowed: the tool is left out by Settings.Tools of the connection or by
// Options.Selection. Nothing was sent.
const ErrNotAllowed ErrorKind = "tool not allowed"

// A Selection chooses among the tools of all servers and says how they are
// shown. The zero value takes all of them as they are.
//
// A tool that is left out is neither listed nor called, by whatever way: also
// [MultiServerClient.CallTool] refuses it, and an interceptor cannot turn
// another call into one of it. Only a leased session ([MultiServerClient.Session])
// knows no selection.
type Selection struct {
	// Filter applies to the tools of every server, by the names that the servers
	// give them, on top of Settings.Tools of their connections: both have to
	// permit a tool.
	Filter config.ToolFilter

	// Keep, if set, is asked about each tool that the filters permit, and says
	// whether it stays, such as by its annotations. The tool must not be
	// changed. It is called concurrently, and has to say the same of the same
	// tool. A tool that it panics on is left out, with an error of kind [ErrFailed].
	Keep func(server string, tool *mcp.Tool) bool

	// Changes are new names, descriptions and fixed arguments, by the name of
	// the server and the name that it gives the tool. There may be names of servers
	// that are added later; the logger is warned of those that there are no
	// connections for yet. They apply to what [MultiServerClient.Tools] returns. A
	// name given here is used as it is, without prefix; that it is not another
	// tool's too is up to the program: if it is, both are left out, with an error
	// of kind [adapters.ErrNameCollision].
	Changes map[string]map[string]adapters.ToolChange
}

// validate reports what is wrong with the options.
func (s *Selection) validate() []error {
	var errs []error
	// The filter is checked where those of connections are.
	probe := config.Connections{"Selection.Filter": config.InMemory{
		Server:   mcp.NewServer(&mcp.Implementation{Name: "probe"}, nil),
		Settings: config.Settings{Tools: s.Filter},
	}}
	var faults *config.Error
	if errors.As(probe.Validate(), &faults) {
		for _, f := range faults.Faults {
			field := strings.NewReplacer("includeTools", "Allow", "excludeTools", "Deny").Replace(f.Key)
			errs = append(errs, fmt.Errorf("Selection.Filter.%s: %s", field, f.Problem))
		}
	}
	for name, changes := range s.Changes {
		for tool, change := range changes {
			if err := change.Validate(); err != nil {
				errs = append(errs, fmt.Errorf("Selection.Changes[%q][%q]: %w", name, tool, err))
			}
		}
	}
	return errs
}

// permits reports whether the filters let the tool through.
func (s *server) permits(tool string) bool {
	return s.settings.Tools.Permits(tool) && s.opts.Selection.Filter.Permits(tool)
}

// keeps reports whether a listed tool is used. One that cannot be asked about is
// not.
func (s *server) keeps(tool *mcp.Tool) (keeps bool, err error) {
	keep := s.opts.Selection.Keep
	if keep == nil || !s.permits(tool.Name) {
		return s.permits(tool.Name), nil
	}
	defer panics.Recover(s.opts.Logger, "Selection.Keep", &err)
	return keep(s.name, tool), nil
}

// checkSelected returns an error if the tool must not be called. Where Keep
// decides, it has to see the definition, which is listed if it is not known.
func (s *server) checkSelected(ctx context.Context, tool string) error {
	refuse := func(err error) error {
		return &Error{Kind: ErrNotAllowed, Phase: PhaseCall, Server: s.name, Tool: tool, Err: err}
	}
	if !s.permits(tool) {
		return refuse(errors.New("the tool filter leaves it out"))
	}
	if s.opts.Selection.Keep == nil {
		return nil
	}
	definition := s.catalogue.lookup(tool)
	if definition == nil {
		if _, err := s.tools(ctx); err != nil {
			return err
		}
		if definition = s.catalogue.lookup(tool); definition == nil {
			return refuse(errors.New("the server does not list it, so that Selection.Keep cannot be asked"))
		}
	}
	switch keep, err := s.keeps(definition); {
	case err != nil:
		return refuse(err)
	case !keep:
		return refuse(errors.New("Selection.Keep leaves it out"))
	}
	return nil
}

// selected returns the tools of the list that are used, and an error for each
// tool that Keep could not be asked about and each name in the settings of this
// server that the server does not have: a name that is misspelt in a list of what
// is denied must not go unnoticed.
func (s *server) selected(list []*mcp.Tool) (kept []*mcp.Tool, errs []error) {
	names := make([]string, 0, len(list))
	for _, t := range list {
		names = append(names, t.Name)
		keep, err := s.keeps(t)
		switch {
		case err != nil:
			errs = append(errs, &Error{Kind: ErrFailed, Phase: PhaseConfigure, Server: s.name, Tool: t.Name, Err: err})
		case keep:
			kept = append(kept, t)
		}
	}
	unknown := func(where string, named []string) {
		for _, name := range named {
			if !slices.Contains(names, name) {
				errs = append(errs, &Error{
					Kind: ErrUnknownTool, Phase: PhaseConfigure, Server: s.name, Tool: name,
					Err: fmt.Errorf("%s names it, but the server does not list it%s", where, didYouMean(name, names)),
				})
			}
		}
	}
	unknown("Settings.Tools", s.settings.Tools.Names())
	unknown("Selection.Changes", slices.Sorted(maps.Keys(s.opts.Selection.Changes[s.name])))
	return kept, errs
}

// unknownNames returns an error for each name in the filter for all servers
// that none of the lists has.
func (s *Selection) unknownNames(lists []listed) (errs []error) {
	var names []string
	for _, l := range lists {
		for _, t := range l.tools {
			names = append(names, t.Name)
		}
	}
	for _, name := range s.Filter.Names() {
		if !slices.Contains(names, name) {
			errs = append(errs, &Error{
				Kind: ErrUnknownTool, Phase: PhaseConfigure, Tool: name,
				Err: errors.New("Selection.Filter names it, but no server lists it" + didYouMean(name, slices.Compact(slices.Sorted(slices.Values(names))))),
			})
		}
	}
	return errs
}
