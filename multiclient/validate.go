package multiclient

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// logLevels are those of the specification, 2025-11-25, server/utilities/logging.
var logLevels = []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

var schemaProfiles = []adapters.SchemaProfile{
	adapters.SchemaPortable, adapters.SchemaRaw, adapters.SchemaOpenAI,
	adapters.SchemaOpenAIStrict, adapters.SchemaAnthropic, adapters.SchemaGemini,
}

var argumentChecks = []adapters.ArgumentCheck{adapters.CheckCertain, adapters.CheckOff, adapters.CheckFull}

var errorPolicies = []adapters.ErrorPolicy{adapters.ErrorsDefault, adapters.ErrorsAsText, adapters.ErrorsAsErrors}

// validate reports every option that cannot be used.
func (o *Options) validate(connections config.Connections) error {
	var errs []error
	errs = append(errs, o.Selection.validate()...)
	errs = append(errs, signInFaults(connections)...)
	errs = append(errs, o.Identities.faults(connections)...)
	if o.LogLevel != "" && !slices.Contains(logLevels, o.LogLevel) {
		errs = append(errs, fmt.Errorf("option LogLevel is %q: use one of %q", o.LogLevel, logLevels))
	}
	if p := o.Tool.SchemaProfile; p != "" && !slices.Contains(schemaProfiles, p) {
		errs = append(errs, fmt.Errorf("option Tool.SchemaProfile is %q: use one of %q", p, schemaProfiles))
	}
	constant := func(name string, value int, known bool) {
		if !known {
			errs = append(errs, fmt.Errorf("option %s is %d: use one of the constants of its type", name, value))
		}
	}
	constant("Tool.ArgumentCheck", int(o.Tool.ArgumentCheck), slices.Contains(argumentChecks, o.Tool.ArgumentCheck))
	constant("Tool.ToolErrors", int(o.Tool.ToolErrors), slices.Contains(errorPolicies, o.Tool.ToolErrors))
	constant("Tool.TransportErrors", int(o.Tool.TransportErrors), slices.Contains(errorPolicies, o.Tool.TransportErrors))
	for name, n := range map[string]int{"MaxConnecting": o.MaxConnecting, "MaxTools": o.MaxTools, "MaxPages": o.MaxPages} {
		if n < 0 {
			errs = append(errs, fmt.Errorf("option %s is negative (%d): use 0 for the default", name, n))
		}
	}
	if _, err := adapters.AssignNames(nil, adapters.NameOptions{
		Prefix: o.ToolNamePrefix, Separator: o.ToolNameSeparator, Collision: o.Collisions,
	}); err != nil {
		errs = append(errs, err)
	}
	if o.ToolNameSeparator != "" && !o.ToolNamePrefix && o.Collisions != adapters.CollisionPrefix {
		errs = append(errs, errors.New("option ToolNameSeparator has no effect: set ToolNamePrefix too, or Collisions to adapters.CollisionPrefix"))
	}
	for name, d := range map[string]time.Duration{
		"ConnectTimeout":  o.ConnectTimeout,
		"DiscoverTimeout": o.DiscoverTimeout,
		"ListTimeout":     o.ListTimeout,
		"CloseTimeout":    o.CloseTimeout,
		"HealthCheck":     o.HealthCheck,

		"Reconnect.Delay":    o.Reconnect.Delay,
		"Reconnect.MaxDelay": o.Reconnect.MaxDelay,
		"Reconnect.CoolDown": o.Reconnect.CoolDown,
	} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("option %s is negative (%v): use 0 for the default", name, d))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if len(errs) > 0 {
		return &Error{Kind: ErrFailed, Phase: PhaseConfigure, Err: errors.Join(errs...)}
	}
	return nil
}

// warnOfUnknown tells the logger which servers the options name that there are not:
// they may come later, or are misspelt.
func (o *Options) warnOfUnknown(connections config.Connections) {
	names := slices.Sorted(maps.Keys(connections))
	warn := func(option string, named iter.Seq[string]) {
		for _, name := range slices.Sorted(named) {
			if _, ok := connections[name]; !ok {
				o.Logger.Warn("no connection has the name that is in the options yet"+didYouMean(name, names), "option", option, "server", name)
			}
		}
	}
	warn("ServerCallbacks", maps.Keys(o.ServerCallbacks))
	warn("Selection.Changes", maps.Keys(o.Selection.Changes))
}
