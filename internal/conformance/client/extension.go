package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// callExtension sends a request of an extension of the protocol on the session
// that the library has with the server at the URL, and decodes its result. The
// library does not know such methods, and the SDK sends only those that were
// registered with its client. It takes a plain JSON answer only.
func callExtension(ctx context.Context, client *multiclient.MultiServerClient, url, method string, result any) error {
	session, release, err := client.Session(ctx, server)
	if err != nil {
		return err
	}
	defer release()
	version := session.InitializeResult().ProtocolVersion
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      method,
		"method":  method,
		"params": map[string]any{"_meta": map[string]any{
			mcp.MetaKeyProtocolVersion:    version,
			mcp.MetaKeyClientCapabilities: struct{}{},
		}},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Mcp-Method", method)
	req.Header.Set("Mcp-Protocol-Version", version)
	if id := session.ID(); id != "" {
		req.Header.Set("Mcp-Session-Id", id)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media != "application/json" {
		return fmt.Errorf("%s was answered %s with content of type %q", method, resp.Status, media)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *jsonrpc.Error  `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("the answer to %s: %w", method, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s was refused: %w", method, answer.Error)
	}
	return json.Unmarshal(answer.Result, result)
}
