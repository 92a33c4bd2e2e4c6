package transport

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// contained is a transport of the program's own that does not panic.
type contained struct {
	mcp.Transport
	logger *slog.Logger
}

func (t contained) Connect(ctx context.Context) (conn mcp.Connection, err error) {
	defer panics.Recover(t.logger, "Connect of the custom transport", &err)
	transport := t.Transport
	if plain, ok := transport.(*mcp.IOTransport); ok {
		own := *plain
		own.Reader = containedReader{own.Reader, t.logger} // of which a goroutine of the SDK reads
		transport = &own
	}
	if conn, err = transport.Connect(ctx); err != nil {
		return nil, err
	}
	return containedConn{conn, t.logger}, nil
}

type containedReader struct {
	io.ReadCloser
	logger *slog.Logger
}

func (r containedReader) Read(b []byte) (n int, err error) {
	defer panics.Recover(r.logger, "Read of the custom transport", &err)
	return r.ReadCloser.Read(b)
}

type containedConn struct {
	mcp.Connection
	logger *slog.Logger
}

func (c containedConn) Read(ctx context.Context) (_ jsonrpc.Message, err error) {
	defer panics.Recover(c.logger, "Read of the custom transport", &err)
	return c.Connection.Read(ctx)
}

func (c containedConn) Write(ctx context.Context, msg jsonrpc.Message) (err error) {
	defer panics.Recover(c.logger, "Write of the custom transport", &err)
	return c.Connection.Write(ctx, msg)
}

func (c containedConn) Close() (err error) {
	defer panics.Recover(c.logger, "Close of the custom transport", &err)
	return c.Connection.Close()
}

func (c containedConn) SessionID() (id string) {
	var err error // it has nowhere to go
	defer panics.Recover(c.logger, "SessionID of the custom transport", &err)
	return c.Connection.SessionID()
}

// containedHandler is an OAuthHandler that does not panic.
type containedHandler struct {
	auth.OAuthHandler
	logger *slog.Logger
}

func (h containedHandler) TokenSource(ctx context.Context) (source oauth2.TokenSource, err error) {
	defer panics.Recover(h.logger, "TokenSource of the OAuthHandler", &err)
	if source, err = h.OAuthHandler.TokenSource(ctx); err != nil || source == nil {
		return nil, err
	}
	return containedSource{source, h.logger}, nil
}

func (h containedHandler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) (err error) {
	defer panics.Recover(h.logger, "Authorize of the OAuthHandler", &err)
	return h.OAuthHandler.Authorize(ctx, req, resp)
}

type containedSource struct {
	oauth2.TokenSource
	logger *slog.Logger
}

func (s containedSource) Token() (_ *oauth2.Token, err error) {
	defer panics.Recover(s.logger, "Token of the OAuthHandler", &err)
	return s.TokenSource.Token()
}
