package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
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
	}}, Options{Attempt: ctx, Tracker: calls.New(calls.Options{Logger: slog.New(slog.DiscardHandler)}), Logger: slog.New(slog.DiscardHandler)})
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := server.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the other end gave %v", err)
	}
}

// boomingCloser is an end of a pipe that panics when it is closed.
type boomingCloser struct {
	net.Conn
	closed chan struct{}
}

func (b boomingCloser) Close() error {
	close(b.closed)
	panic("boo")
}

// One that panics when it is ended then takes nobody along.
func TestTransportThatComesTooLateAndPanics(t *testing.T) {
	_, client := net.Pipe()
	b := boomingCloser{client, make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release := make(chan struct{})
	_, err := Open(t.Context(), config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		<-release
		return &mcp.IOTransport{Reader: b, Writer: client}, nil
	}}, Options{Attempt: ctx, Tracker: calls.New(calls.Options{Logger: slog.New(slog.DiscardHandler)}), Logger: slog.New(slog.DiscardHandler)})
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-b.closed
}

// A transport that is a nil pointer is an error.
func TestNilTransport(t *testing.T) {
	for name, transport := range map[string]mcp.Transport{
		"nothing":                nil,
		"no StreamableTransport": (*mcp.StreamableClientTransport)(nil),
	} {
		_, err := Open(t.Context(), config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
			return transport, nil
		}}, Options{Attempt: t.Context(), Tracker: calls.New(calls.Options{Logger: slog.New(slog.DiscardHandler)}), Logger: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), "neither a transport nor an error") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

type boomingReader struct{ net.Conn }

func (boomingReader) Read([]byte) (int, error) { panic("boo") }

// What the SDK reads of in a goroutine of its own takes nobody along either.
func TestReaderThatPanics(t *testing.T) {
	server, client := net.Pipe()
	defer server.Close()
	link, err := Open(t.Context(), config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		return &mcp.IOTransport{Reader: boomingReader{client}, Writer: client}, nil
	}}, Options{Attempt: t.Context(), Tracker: calls.New(calls.Options{Logger: slog.New(slog.DiscardHandler)}), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close(t.Context())
	conn, err := link.Transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "panicked: boo") {
		t.Errorf("got %v", err)
	}
}
