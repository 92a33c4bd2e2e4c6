package transport

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
)

// Options of [Open].
type Options struct {
	// Server names the server in log records.
	Server string
	// Tracker is told of every message.
	Tracker *calls.Tracker
	// Attempt is the context of the attempt to connect. Required.
	Attempt context.Context
	// DiscoverTimeout bounds the wait for the answer to server/discover.
	DiscoverTimeout time.Duration
	// Unheard is called when the time for the answer to server/discover is over
	// where a later one could not be read, and Late when one that is no error
	// is read after that. They must not block.
	Unheard, Late func()
	// Lost is called, possibly several times, when the transport sees that the
	// server has forgotten the session, or has failed itself, so that the SDK ends
	// it. It must not block.
	Lost func(err error)
	// Reopened is called when a stream of the session has been interrupted, so
	// that notifications may have been missed. It must not block.
	Reopened func()
	// SigningIn, when set, is called before somebody signs in to the server, and
	// what it returns when that is over. They must not block.
	SigningIn func() (end func())
	// Report is called with errors that the session survives. It must not
	// block.
	Report func(err error)
	// Logger is required.
	Logger *slog.Logger

	secrets []string // of the connection
}

// A Link is the transport of one session.
type Link struct {
	// Transport is to be connected once.
	Transport mcp.Transport
	// PID is the id of the process that was started, or 0.
	PID int

	kill     func()
	close    func(ctx context.Context)
	diagnose func() Diagnosis
	// diagnoseRequest is nil where answers are not those of single requests.
	diagnoseRequest func(*calls.Outcome) Diagnosis
	hint            func(ctx context.Context, err error) string
	ended           <-chan struct{}
	redactor        *redact.Redactor
}

// A Diagnosis is what a link knows about a failure beyond its error.
type Diagnosis struct {
	// Unreachable says that no HTTP request got an answer.
	Unreachable bool
	// Personal says that the failure is that of who has asked, and not of the
	// server or of everybody: headers of a request that could not be had, or that
	// were refused and may be others for others.
	Personal bool
	// Refused says that the server wants to be signed in to, and why that
	// failed, unless a request succeeded since. It may be nil.
	Refused error
	// Status is the last HTTP status that was an error, or 0.
	Status int
	// RetryAfter is how long the server then asked to be left alone, or 0.
	RetryAfter time.Duration
	// Hint is what may be wrong with the connection, and what to do. It may be
	// empty.
	Hint string
	// Detail is what the other side said: the exit status and the last lines
	// of standard error of a process, or the beginning of an HTTP answer that
	// is none of the protocol. It is safe to print, and may be empty.
	Detail string
}

// Open returns a link for the connection. ctx is the session's: its values are
// seen by HTTP requests and factories, and when it ends, so does everything
// that the link does. A process is started here, anything else when the
// transport is connected.
//
// Every link must be closed.
//
// Its error, its reports and the diagnosis hold nothing secret of the
// connection; errors of the transport go through [Link.Redact], and the logger
// is the caller's business.
func Open(ctx context.Context, connection config.Connection, opts Options) (*Link, error) {
	opts.secrets = config.Secrets(connection)
	redactor := redact.New(opts.secrets)
	if report := opts.Report; report != nil {
		opts.Report = func(err error) { report(redactor.Error(err)) }
	}
	if lost := opts.Lost; lost != nil {
		opts.Lost = func(err error) { lost(redactor.Error(err)) }
	}
	link, err := open(ctx, connection, opts)
	if err != nil {
		return nil, redactor.Error(err)
	}
	link.redactor = redactor
	return link, nil
}

func open(ctx context.Context, connection config.Connection, opts Options) (*Link, error) {
	switch c := connection.(type) {
	case config.Stdio:
		return openStdio(c, opts)
	case *config.Stdio:
		return openStdio(*c, opts)
	case config.StreamableHTTP:
		return openStreamable(ctx, c, opts)
	case *config.StreamableHTTP:
		return openStreamable(ctx, *c, opts)
	case config.SSE:
		return openSSE(ctx, c, opts)
	case *config.SSE:
		return openSSE(ctx, *c, opts)
	case config.InMemory:
		return openInMemory(ctx, c, opts)
	case *config.InMemory:
		return openInMemory(ctx, *c, opts)
	case config.Custom:
		return openCustom(ctx, c, opts)
	case *config.Custom:
		return openCustom(ctx, *c, opts)
	}
	return nil, fmt.Errorf("unknown kind of connection %T", connection)
}

// Kill ends the transport at once: a Connect, Read, Write or Close of it that
// is under way returns soon after. It does not block.
func (l *Link) Kill() {
	if l.kill != nil {
		l.kill()
	}
}

// Close ends what the closed SDK session leaves behind, in good order until
// ctx ends and by force then.
func (l *Link) Close(ctx context.Context) {
	if l.close != nil {
		l.close(ctx)
	}
}

// Diagnose returns what the link knows about a failure.
func (l *Link) Diagnose() Diagnosis {
	if l.diagnose == nil {
		return Diagnosis{}
	}
	d := l.diagnose()
	d.Detail, d.Refused = l.redactor.Text(d.Detail), l.redactor.Error(d.Refused)
	return d
}

// DiagnoseRequest returns what the link knows about the failure of one request,
// and nothing of others, which may be somebody else's.
func (l *Link) DiagnoseRequest(o *calls.Outcome) Diagnosis {
	if l.diagnoseRequest == nil {
		return l.Diagnose()
	}
	d := l.diagnoseRequest(o)
	d.Detail = l.redactor.Text(d.Detail)
	return d
}

// Hint looks into why a handshake has failed, for as long as ctx lasts and not for
// long. It returns what may be wrong with the connection, or "".
func (l *Link) Hint(ctx context.Context, err error) string {
	if l.hint == nil {
		return ""
	}
	return l.redactor.Text(l.hint(ctx, err))
}

// Ended is closed when there is no more to know of the end of a process. It is so
// from the beginning where there is none.
func (l *Link) Ended() <-chan struct{} {
	if l.ended == nil {
		return noProcess
	}
	return l.ended
}

var noProcess = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Redact returns an error of the SDK, or of what is below it, without anything
// secret of the connection in its text.
func (l *Link) Redact(err error) error { return l.redactor.Error(l.worded(err)) }

func (o Options) watchPipe(t mcp.Transport) mcp.Transport {
	return &watched{Transport: t, tracker: o.Tracker, result: o.result, dropped: o.malformed, discoverTimeout: o.DiscoverTimeout, late: o.Late, reopened: o.Reopened, pipe: true}
}

func (o Options) watch(t mcp.Transport) mcp.Transport {
	return &watched{Transport: t, tracker: o.Tracker, result: o.result, dropped: o.malformed, discoverTimeout: o.DiscoverTimeout, late: o.Late, reopened: o.Reopened, lost: o.Lost}
}
