package adapters

import (
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxCause is how many bytes of a tool's own words an error repeats.
	maxCause = 1000

	// maxExcerpt is how many bytes of its own input a model is shown.
	maxExcerpt = 300
)

// Codes that the SDK gives to failures of its own, which look like answers. They
// are not exported there (internal/jsonrpc2/wire.go, v1.8.0).
const (
	codeUnknown       = -32001
	codeClientClosing = -32003
	codeServerClosing = -32004
	codeRejected      = -32005
	codeNoAnswer      = -32050 // of this library: the answer was none of the protocol,
	codeBroken        = -32051 // or broke off
)

// answered returns the JSON-RPC error by which the server answered the call,
// or nil if err says something else: that there is no connection, that an HTTP
// status refused the request, or that the protocol wants something of the
// client and not of the model.
func answered(err error) *jsonrpc.Error {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return nil
	}
	switch wire.Code {
	case jsonrpc.CodeInvalidParams:
		return wire
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest,
		codeUnknown, codeClientClosing, codeServerClosing, codeRejected, codeNoAnswer, codeBroken,
		mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities,
		mcp.CodeUnsupportedProtocolVersion, mcp.CodeURLElicitationRequired:
		return nil
	}
	if errors.Is(err, &jsonrpc.Error{Code: codeRejected}) {
		return nil
	}
	return wire
}

// failureText returns what a model reads of a call without a result.
func failureText(err error) string {
	if wire := answered(err); wire != nil {
		text := errorText(wire.Message)
		if len(wire.Data) > 0 && string(wire.Data) != "null" {
			text += "\n" + string(wire.Data)
		}
		return text
	}
	return errorText(strings.TrimPrefix(err.Error(), "adapters: "))
}

// errorCause returns the tool's own words of an error result.
func errorCause(res *mcp.CallToolResult) string {
	chunks := resultChunks(res)
	if allBlank(chunks) {
		return "it gave no reason"
	}
	return joinLimited(chunks, maxCause)
}

// excerpt returns what a model is shown of its own input.
func excerpt(input string) string {
	input = clean(strings.TrimSpace(input))
	if input == "" {
		return "nothing"
	}
	if len(input) > maxExcerpt {
		return prefix(input, maxExcerpt) + "..."
	}
	return input
}
