package multiclient

import (
	"cmp"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Defaults of [Options].
const (
	DefaultConnectTimeout  = 30 * time.Second
	DefaultDiscoverTimeout = 5 * time.Second
	DefaultListTimeout     = 30 * time.Second
	DefaultCallTimeout     = 5 * time.Minute
	DefaultCloseTimeout    = 5 * time.Second
	DefaultMaxConnecting   = 32
	DefaultMaxInFlight     = 256
	DefaultMaxPerCall      = 16 // with a session for each call
	DefaultMaxTools        = 10_000
	DefaultMaxPages        = 1_000
)

// Options of a [MultiServerClient]. The zero value is useful.
type Options struct {
	// Callbacks receive what the servers send. Those that are set are declared
	// to the servers as capabilities.
	Callbacks callbacks.Callbacks

	// ServerCallbacks are used for the servers of these names: the fields that
	// they set take the place of those of Callbacks. There may be names of servers
	// that are added later; the logger is warned of those that there are no
	// connections for yet.
	ServerCallbacks map[string]callbacks.Callbacks

	// LogLevel is the least severe level of log messages that servers are
	// asked for. Empty means "info" for servers whose OnLoggingMessage is set,
	// and that nothing is asked for where it is not.
	LogLevel mcp.LoggingLevel

	// Interceptors wrap every tool call, the first outermost.
	Interceptors []interceptors.Interceptor

	// ToolNamePrefix names every tool server_tool.
	ToolNamePrefix bool

	// ToolNameSeparator stands between server and tool where names have a prefix, by
	// ToolNamePrefix or by Collisions; without either it is a fault. Empty means "_".
	ToolNameSeparator string

	// Collisions says what happens when tools of two servers would have the
	// same name. The default is that none of them has it: all of them are left out
	// of [MultiServerClient.Tools], which returns the others with an error of kind
	// [adapters.ErrNameCollision], or nothing with RequireAll. So a server that is
	// added can take tools of others away, by having their names; with
	// ToolNamePrefix it cannot.
	//
	// With [adapters.CollisionPrefix] names are settled among the tools of all
	// servers, whichever are asked for: those that have not been listed yet are,
	// and of those that are down what they listed last counts. Only a server that
	// could never be listed can still change the names of others, once it can;
	// with ToolNamePrefix none does.
	Collisions adapters.CollisionPolicy

	// Selection chooses among the tools and changes how they are shown.
	Selection Selection

	// Tool configures the tools: what the model sees, how results become text
	// and which failures are text for the model.
	Tool adapters.ToolOptions

	// Identities says whose requests are whose, for connections with a session for
	// each identity.
	Identities Identities

	// RequireAll makes methods that ask several servers return nothing if one
	// of them fails, or if tools have to be left out since something is wrong with
	// the Selection or names collide. By default they return what they could get
	// together with the error.
	RequireAll bool

	// ConnectTimeout, ListTimeout, CallTimeout and CloseTimeout are used for
	// connections that do not set their own. 0 means the default above. A
	// negative CallTimeout means no bound but the caller's context.
	ConnectTimeout, ListTimeout, CallTimeout, CloseTimeout time.Duration

	// DiscoverTimeout is how long a server may leave server/discover
	// unanswered before the older handshake is tried, within ConnectTimeout. 0
	// means the default above.
	DiscoverTimeout time.Duration

	// Reconnect says how servers are tried again.
	Reconnect Reconnect

	// HealthCheck is the interval at which servers that there has been a session
	// with are asked for a sign of life: a ping, or since 2026-07-28, where there is
	// none, the first page of the tools. A session that turns out to be lost is
	// replaced, so that what was subscribed to goes on; one that does not answer
	// within ListTimeout is given up if no call is in flight on it. The outcome
	// shows in Status and in Callbacks.OnConnectionState. 0 means no checks.
	HealthCheck time.Duration

	// MaxConnecting is how many servers are asked at the same time by
	// methods that ask several. 0 means the default above.
	MaxConnecting int

	// MaxInFlight is how many tool calls are made at the same time on each
	// server. Others wait, in their order and within their call timeout. Calls
	// that callbacks of running calls make do not wait. 0 means the defaults
	// above; a negative value means no limit. MaxInFlight of a connection comes
	// first.
	MaxInFlight int

	// MaxTools is how many tools a server may list, and MaxPages in how many
	// pages, which goes for prompts and resources too, of which there may be
	// 100,000. A list that is longer is an error of kind [ErrBadList]. 0 means the
	// defaults above.
	MaxTools, MaxPages int

	// DistrustAnnotations makes that calls are not sent again because their tools
	// say of themselves, by readOnlyHint or idempotentHint, that this does no
	// harm. By default they are, when the connection is lost before the answer
	// has come.
	DistrustAnnotations bool

	// ConfigureClient, if set, is called with the SDK's client of each session
	// before it connects, such as to register methods of an extension of the
	// protocol, which a leased session ([MultiServerClient.Session]) can use
	// then, or to add middleware. It may be called concurrently. Handlers and
	// capabilities are up to the callbacks. When the client lists tools, middleware
	// that sends requests sees one tools/list for all pages; if it answers that by
	// itself, it is asked each time.
	ConfigureClient func(server string, client *mcp.Client)

	// ClientInfo names the program to the servers. Nil means the name of this
	// library.
	ClientInfo *mcp.Implementation

	// Logger receives what no error and no callback can tell. Nil discards it.
	Logger *slog.Logger
}

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.Interceptors = append([]interceptors.Interceptor(nil), c.Interceptors...)
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.ConnectTimeout, DefaultConnectTimeout},
		{&c.DiscoverTimeout, DefaultDiscoverTimeout},
		{&c.ListTimeout, DefaultListTimeout},
		{&c.CallTimeout, DefaultCallTimeout},
		{&c.CloseTimeout, DefaultCloseTimeout},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	c.Identities = c.Identities.withDefaults()
	c.MaxConnecting = cmp.Or(c.MaxConnecting, DefaultMaxConnecting)
	c.MaxTools = cmp.Or(c.MaxTools, DefaultMaxTools)
	c.MaxPages = cmp.Or(c.MaxPages, DefaultMaxPages)
	if c.ClientInfo == nil {
		c.ClientInfo = &mcp.Implementation{Name: "mcpadapters", Version: moduleVersion()}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

const modulePath = "github.com/langchaingo-mcp/mcpadapters"

// moduleVersion returns the version of this library in the running program.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range append(info.Deps, &info.Main) {
			if dep.Path == modulePath && dep.Version != "" {
				return dep.Version
			}
		}
	}
	return "(devel)"
}
