package transport

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
)

// recovered turns a panic of what a connection brings along into an error: it is
// called by goroutines of the SDK and of this library, where a panic would end
// the process.
func recovered(what string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%s panicked: %v\n%s", what, v, debug.Stack())
	}
}

// contained is a transport of the program's own that does not panic.
type contained struct{ mcp.Transport }

func (t contained) Connect(ctx context.Context) (conn mcp.Connection, err error) {
	defer recovered("Connect of the custom transport", &err)
	if conn, err = t.Transport.Connect(ctx); err != nil {
		return nil, err
	}
	return containedConn{conn}, nil
}

type containedConn struct{ mcp.Connection }

func (c containedConn) Read(ctx context.Context) (_ jsonrpc.Message, err error) {
	defer recovered("Read of the custom transport", &err)
	return c.Connection.Read(ctx)
}

func (c containedConn) Write(ctx context.Context, msg jsonrpc.Message) (err error) {
	defer recovered("Write of the custom transport", &err)
	return c.Connection.Write(ctx, msg)
}

func (c containedConn) Close() (err error) {
	defer recovered("Close of the custom transport", &err)
	return c.Connection.Close()
}

func (c containedConn) SessionID() (id string) {
	var err error // it has nowhere to go
	defer recovered("SessionID of the custom transport", &err)
	return c.Connection.SessionID()
}

// containedHandler is an OAuthHandler that does not panic.
type containedHandler struct{ auth.OAuthHandler }

func (h containedHandler) TokenSource(ctx context.Context) (source oauth2.TokenSource, err error) {
	defer recovered("TokenSource of the OAuthHandler", &err)
	if source, err = h.OAuthHandler.TokenSource(ctx); err != nil || source == nil {
		return nil, err
	}
	return containedSource{source}, nil
}

type containedSource struct{ oauth2.TokenSource }

func (s containedSource) Token() (_ *oauth2.Token, err error) {
	defer recovered("Token of the OAuthHandler", &err)
	return s.TokenSource.Token()
}
