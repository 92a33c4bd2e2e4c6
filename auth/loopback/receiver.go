package loopback

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// DefaultPath is that of the redirect URL.
const DefaultPath = "/callback"

// A Receiver listens on the loopback interface while an authorization runs. It
// takes one redirect, with the state of that authorization, and refuses all
// other requests.
type Receiver struct {
	// Visit shows the user who wants what, and where, and opens the URL in a
	// browser if the user agrees, or prints it. It is required. It need not
	// return before the redirect arrives; its context ends with the
	// authorization. An error ends the authorization.
	Visit func(ctx context.Context, prompt *auth.Prompt) error

	// Port to listen on. 0 means a free one, which is another one each time:
	// clients that are registered beforehand may need a fixed one.
	Port int

	// Path of the redirect URL. Empty means [DefaultPath].
	Path string

	// Localhost makes the redirect URL name "localhost" rather than
	// "127.0.0.1", for clients that are registered so.
	Localhost bool
}

var _ auth.Receiver = (*Receiver)(nil)

// Receive begins to listen.
func (r *Receiver) Receive(ctx context.Context) (auth.Reception, error) {
	if r.Visit == nil {
		return nil, errors.New("loopback: Receiver.Visit is not set")
	}
	path := r.Path
	if path == "" {
		path = DefaultPath
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		return nil, fmt.Errorf("loopback: Receiver.Path %q is not a path that begins with a slash", r.Path)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(r.Port)))
	if err != nil {
		return nil, fmt.Errorf("loopback: %w", err)
	}
	host := listener.Addr().String()
	if r.Localhost {
		_, port, _ := net.SplitHostPort(host)
		host = net.JoinHostPort("localhost", port)
	}
	rec := &reception{
		visit:    r.Visit,
		redirect: url.URL{Scheme: "http", Host: host, Path: path},
		arrived:  make(chan url.Values, 1),
	}
	rec.server = &http.Server{
		Handler:           rec,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	rec.served.Go(func() { rec.server.Serve(listener) })
	return rec, nil
}

// A reception is a [Receiver] that listens.
type reception struct {
	visit    func(context.Context, *auth.Prompt) error
	redirect url.URL
	server   *http.Server
	served   sync.WaitGroup
	arrived  chan url.Values

	mu    sync.Mutex
	state string // that is waited for, or "" if none is
}

// RedirectURL implements [auth.Reception].
func (r *reception) RedirectURL() string { return r.redirect.String() }

// Wait implements [auth.Reception].
func (r *reception) Wait(ctx context.Context, prompt *auth.Prompt) (url.Values, error) {
	visit, err := url.Parse(prompt.URL)
	if err != nil || visit.Query().Get("state") == "" {
		return nil, errors.New("loopback: the URL to visit has no state")
	}
	r.expect(visit.Query().Get("state"))
	defer r.expect("")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		if err := r.show(ctx, prompt); err != nil {
			failed <- err
		}
	}()
	select {
	case query := <-r.arrived:
		return query, nil
	case err := <-failed:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *reception) expect(state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = state
}

// show calls Visit, whose panic nobody else could recover.
func (r *reception) show(ctx context.Context, prompt *auth.Prompt) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("loopback: Visit panicked: %v", v)
		}
	}()
	return r.visit(ctx, prompt)
}

// closeGrace is how long the browser may take to fetch the page.
const closeGrace = time.Second

// Close implements [auth.Reception].
func (r *reception) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	if r.server.Shutdown(ctx) != nil {
		r.server.Close()
	}
	r.served.Wait()
	return nil
}
