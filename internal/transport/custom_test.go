package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// A transport that comes when nobody waits for it any more is ended.
func TestTransportThatComesTooLate(t *testing.T) {
	server, client := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release := make(chan struct{})
	_, err := Open(t.Context(), config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		<-release
		return &mcp.IOTransport{Reader: client, Writer: client}, nil
	}}, Options{Attempt: ctx, Tracker: calls.New(calls.Options{Logger: slog.New(slog.DiscardHandler)})})
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := server.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the other end gave %v", err)
	}
}
