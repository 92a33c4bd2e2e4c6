package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// legacyVersion is the newest version of the protocol that begins with
// initialize rather than with server/discover.
const legacyVersion = "2025-11-25"

// killGrace is how long the SDK may take to return from a Connect whose
// transport has been killed.
const killGrace = 5 * time.Second

// dial opens a session, trying the newest version of the protocol first and
// then, with a new transport, one that begins with initialize: a server may
// have exited on the unknown request. f may be nil.
func (m *Manager) dial(ctx context.Context, f *flight) (*Session, error) {
	pinned := m.opts.Connection.Common().ProtocolVersion
	m.mu.Lock()
	version, slow := m.version, m.slow
	m.mu.Unlock()
	if pinned != "" {
		version = pinned
	}
	s, err := m.attempt(ctx, f, version)
	if err != nil && pinned == "" && ctx.Err() == nil {
		switch {
		case version != "":
			// It spoke this version before, and may have been updated.
			s, err = m.attempt(ctx, f, "")
			version = ""
		case m.isSlow() && !slow:
			// It has answered to server/discover after all, and may take nothing else then.
			s, err = m.attempt(ctx, f, "")
		case worthLegacy(err):
			if legacy, legacyErr := m.attempt(ctx, f, legacyVersion); legacyErr == nil {
				s, err = legacy, nil
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.slow = m.slow && !slow // or it may be another server now
		return nil, err
	}
	if version == "" && s.Client.InitializeResult().ProtocolVersion <= legacyVersion && !s.late {
		// One that was not heard in time is listened to once more.
		if !s.unheard || m.unheard {
			version = legacyVersion
		}
		m.unheard = s.unheard
	}
	m.version = version
	if cause := m.closed; cause != nil {
		m.closing.Go(func() {
			s.close(cause, m.opts.CloseTimeout)
		})
		return nil, cause
	}
	s.opened, m.ready = time.Now(), true
	m.open[s] = struct{}{}
	return s, nil
}

// isSlow reports whether the server has answered to server/discover, but too late.
func (m *Manager) isSlow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slow
}

// worthLegacy reports whether a server that failed may do better when it is
// not sent server/discover.
func worthLegacy(err error) bool {
	var f *Failure
	if !errors.As(err, &f) || f.Phase != PhaseInitialize {
		return false
	}
	if f.Refused != nil {
		return false
	}
	switch f.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests:
		return false
	}
	return f.Status < 500
}

// attempt opens a session with one transport.
func (m *Manager) attempt(ctx context.Context, f *flight, version string) (*Session, error) {
	// The session outlives the attempt.
	sessionCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Session{cancel: cancel, lost: make(chan struct{})}
	m.mu.Lock()
	m.generation++
	s.Generation = m.generation
	m.mu.Unlock()

	topts := calls.Options{
		Server:    m.opts.Server,
		Identity:  m.opts.Identity,
		Callbacks: m.opts.Callbacks,
		LogLevel:  m.opts.LogLevel,
		Logger:    m.opts.Logger,
	}
	if m.opts.ListChanged != nil {
		topts.ListChanged = func(method string) { m.opts.ListChanged(s.Generation, method) }
	}
	s.tracker = calls.New(topts)
	link, err := transport.Open(calls.Detach(sessionCtx), m.opts.Connection, m.transportOptions(ctx, s, topts.ListChanged))
	if err != nil {
		cancel()
		s.tracker.Close(err)
		return nil, &Failure{Phase: openPhase(m.opts.Connection.Transport()), Err: timedOut(ctx, err)}
	}
	s.link = link
	m.attempting(f, link)
	defer m.attempting(f, nil)

	client := mcp.NewClient(m.opts.ClientInfo, s.tracker.ClientOptions())
	s.sdk = client
	client.AddSendingMiddleware(paged, s.tracker.Sending())
	client.AddReceivingMiddleware(s.tracker.Receiving())
	err = m.configure(client)
	client.AddSendingMiddleware(uncached)
	if err == nil {
		err = m.handshake(ctx, sessionCtx, s, client, version)
	}
	if err != nil {
		err = link.Redact(s.endedBy(err))
		failure := notOpened(ctx, s, err)
		s.tracker.Close(err)
		m.closing.Go(func() {
			closeCtx, done := context.WithTimeout(context.Background(), m.opts.CloseTimeout)
			defer done()
			link.Close(closeCtx)
			cancel()
		})
		return nil, failure
	}
	go func() {
		err := s.Client.Wait()
		if err == nil {
			err = mcp.ErrConnectionClosed
		}
		s.MarkLost(link.Redact(err))
	}()
	m.setLogLevel(ctx, s)
	return s, nil
}

// transportOptions returns the options of the transport of a session, with what is
// told of the session while it is opened and later. listChanged may be nil.
func (m *Manager) transportOptions(attempt context.Context, s *Session, listChanged func(method string)) transport.Options {
	discoverTimeout := m.opts.DiscoverTimeout
	if m.isSlow() {
		discoverTimeout = max(discoverTimeout, m.opts.ConnectTimeout)
	}
	return transport.Options{
		Server:          m.opts.Server,
		Tracker:         s.tracker,
		Attempt:         attempt,
		DiscoverTimeout: discoverTimeout,
		Unheard: func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			s.unheard = true
		},
		Late: func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			s.late, m.slow, m.version = true, true, "" // the next session is another try
		},
		Lost: s.MarkLost,
		Reopened: func() {
			if listChanged != nil {
				for _, list := range []string{"tools", "prompts", "resources"} {
					listChanged("notifications/" + list + "/list_changed") // perhaps
				}
			}
		},
		SigningIn: m.clocks.signIn,
		Report:    m.events.Error,
		Logger:    m.opts.Logger,
	}
}

// attempting notes the link of the attempt that is under way for a flight.
func (m *Manager) attempting(f *flight, link *transport.Link) {
	if f == nil {
		return // the one caller gets the error
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f.link = link
}

// handshake connects the client. The SDK may block beyond the end of its
// context, so that it is waited for only as long as ctx lasts.
func (m *Manager) handshake(ctx, sessionCtx context.Context, s *Session, client *mcp.Client, version string) error {
	type result struct {
		session *mcp.ClientSession
		err     error
	}
	done := make(chan result, 1)
	connectCtx, opened := calls.Opening(sessionCtx)
	connectCtx, cancel := context.WithCancel(connectCtx)
	go func() {
		cs, err := client.Connect(connectCtx, s.link.Transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		done <- result{cs, err}
	}()
	select {
	case r := <-done:
		opened()
		if r.err != nil {
			cancel()
			return timedOut(ctx, r.err)
		}
		// Not cancelled now: a transport may tie the session to it.
		context.AfterFunc(sessionCtx, cancel)
		s.Client = r.session
		return nil
	case <-ctx.Done():
		cancel()
		s.stopped, s.said = true, s.link.Diagnose().Detail
		s.tracker.Close(context.Cause(ctx)) // which may hold up what reads
		s.link.Kill()
		select {
		case r := <-done:
			if r.session != nil {
				go r.session.Close()
			}
		case <-time.After(killGrace):
			m.opts.Logger.Error("the SDK did not give up connecting", "server", m.opts.Server)
		}
		if context.Cause(ctx) == ErrConnectTimeout && m.opts.Connection.Transport() == "stdio" {
			return fmt.Errorf("%w, after which the process was stopped", ErrConnectTimeout)
		}
		return context.Cause(ctx)
	}
}

// setLogLevel asks for log messages, on sessions where that is a request of
// its own. A server that refuses is fine without.
func (m *Manager) setLogLevel(ctx context.Context, s *Session) {
	init := s.Client.InitializeResult()
	if m.opts.LogLevel == "" || init.ProtocolVersion > legacyVersion || init.Capabilities == nil || init.Capabilities.Logging == nil {
		return
	}
	// What it leaves unanswered must not use up the time for the connection.
	ctx, cancel := context.WithTimeout(ctx, m.opts.DiscoverTimeout)
	defer cancel()
	if err := s.Client.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: m.opts.LogLevel}); err != nil {
		m.opts.Logger.Warn("the server refused the log level", "server", m.opts.Server, "level", m.opts.LogLevel, "error", err)
	}
}
