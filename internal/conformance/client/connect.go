package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// server is the name of the one connection.
const server = "suite"

// with runs use with a client of the library that is connected to a scenario's
// server, and looks at the version of the protocol afterwards. The connection's
// URL is filled in.
func with(in input, connection config.StreamableHTTP, cb callbacks.Callbacks, use func(*multiclient.MultiServerClient) error) error {
	connection.URL = in.URL
	client, err := multiclient.New(config.Connections{server: connection}, &multiclient.Options{
		Callbacks:  cb,
		ClientInfo: &mcp.Implementation{Name: "mcpadapters-conformance", Version: "1.0.0"},
		Logger:     slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	err = use(client)
	if err == nil {
		err = checkVersion(client, in.Version)
	}
	return errors.Join(err, client.Close())
}

func checkVersion(client *multiclient.MultiServerClient, want string) error {
	info := client.Status()[0].Server
	if info == nil {
		return errors.New("there is no session any more")
	}
	if want != "" && info.ProtocolVersion != want {
		return fmt.Errorf("version %s of the protocol was agreed on, want %s", info.ProtocolVersion, want)
	}
	return nil
}

// mustCall calls a tool by the name that the server gives it, and fails also
// when the tool says that it did.
func mustCall(ctx context.Context, client *multiclient.MultiServerClient, tool string, arguments map[string]any) error {
	res, err := client.CallTool(ctx, server, tool, arguments)
	if err != nil {
		return err
	}
	if res.IsError {
		return fmt.Errorf("%s failed: %s", tool, adapters.ResultText(res, nil))
	}
	return nil
}
