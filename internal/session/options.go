package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// Options of a [Manager].
type Options struct {
	// Server is the name of the server.
	Server string
	// Identity is whose sessions they are, for the callbacks. It may be empty.
	Identity string
	// Connection says how it is reached.
	Connection config.Connection
	// ConnectTimeout and CloseTimeout bound the opening and the closing of a
	// session. They must be positive. The time in which somebody signs in does
	// not count for the first.
	ConnectTimeout, CloseTimeout time.Duration
	// DiscoverTimeout bounds the wait for server/discover. It must be positive.
	DiscoverTimeout time.Duration
	// Retry says how a server is tried again.
	Retry Retry
	// ClientInfo names the client to the server. Required.
	ClientInfo *mcp.Implementation
	// Callbacks receive what the server sends.
	Callbacks callbacks.Callbacks
	// LogLevel is asked of the server. Empty asks for nothing.
	LogLevel mcp.LoggingLevel
	// Configure, when set, is called with the SDK's client of each session before
	// it connects.
	Configure func(client *mcp.Client)
	// Opened, when set, is called for each shared session before it is used,
	// within the bound of the attempt to open it. An error fails the attempt.
	Opened func(ctx context.Context, s *Session) error
	// ListChanged, when set, is called for each list-changed notification with
	// the generation of the session and the method. It must not block.
	ListChanged func(generation int, method string)
	// Ended, when set, is called when the shared session has ended, but not by
	// Close or Refuse, with how long it has lasted. It must not block, nor call
	// the manager.
	Ended func(lasted time.Duration)
	// Logger is required.
	Logger *slog.Logger
}
