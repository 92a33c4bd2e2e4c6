// Gateway serves the MCP servers of a configuration file as one, over stdio or
// streamable HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends or, over stdio, the client leaves. What it has to
// say goes to stderr: standard output belongs to the protocol.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("gateway", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("config", "mcp.json", "`file` with the servers, as MCP hosts have it")
	address := flags.String("http", "", "`address` to serve streamable HTTP on, such as localhost:8080 (default: stdin and stdout)")
	prefix := flags.Bool("prefix", false, "name every tool server_tool, not only those that several servers have")
	verbose := flags.Bool("v", false, "report what goes on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	connections, err := config.Load(*file, nil)
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	gw, err := gateway.New(connections, &gateway.Options{
		Client: multiclient.Options{ToolNamePrefix: *prefix, Logger: logger},
		Logger: logger,
	})
	if err != nil {
		return err
	}
	if *address == "" {
		err = gw.Run(ctx, &mcp.StdioTransport{})
		if ctx.Err() != nil {
			err = nil // asked to stop
		}
		return errors.Join(err, gw.Close())
	}
	return errors.Join(serveHTTP(ctx, gw, *address, stderr), gw.Close())
}

// serveHTTP listens until ctx ends. Whoever can reach the address can use the
// servers: put authentication in front before it is more than this machine.
func serveHTTP(ctx context.Context, gw *gateway.Gateway, address string, stderr io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	// Web pages of others must not use the gateway through their visitor.
	mux.Handle("/mcp", http.NewCrossOriginProtection().Handler(gw.Handler()))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(stderr, "gateway: http://%s/mcp\n", listener.Addr())

	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Streams of clients do not end by themselves.
	err = gw.Close()
	return errors.Join(err, server.Close())
}
