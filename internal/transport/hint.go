package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// hintTimeout bounds the look for the transport that a server speaks.
const hintTimeout = 2 * time.Second

// noEndpoint is the hint where something answers that knows nothing of MCP.
const noEndpoint = `is this the URL of the server's MCP endpoint? Its path is often "/mcp"`

// hint says what may be wrong with the URL or the transport of a connection whose
// handshake failed by err. It asks the server only about the other transport: that
// of 2024-11-05 has a stream where the others take messages.
func (h *httpLink) hint(ctx context.Context, err error) string {
	h.mu.Lock()
	last, unreachable := h.last, h.unreachable
	h.mu.Unlock()
	if hint := schemeHint(h.public.Scheme, last, err); hint != "" || unreachable {
		return hint
	}
	switch last.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		if h.sse {
			return `it has no stream of the transport "sse": if it speaks streamable HTTP, as most do, use config.StreamableHTTP, "http" in files`
		}
		ctx, cancel := context.WithTimeout(ctx, hintTimeout)
		defer cancel()
		if httpwire.SpeaksSSE(ctx, h.client, h.public.String()) {
			return `it speaks the transport of 2024-11-05: use config.SSE, "sse" in files`
		}
	}
	switch last.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return noEndpoint
	case 0, http.StatusOK:
		var e *jsonrpc.Error
		if last.Excerpt != "" || errors.As(err, &e) && e.Code == httpwire.CodeTransport {
			return noEndpoint // it has answered with what is not MCP
		}
	}
	return ""
}

// schemeHint is the hint where one side uses TLS and the other does not, or where
// one does not take the certificate of the other.
func schemeHint(scheme string, last httpwire.Answer, err error) string {
	text := err.Error()
	if scheme == "https" {
		switch {
		case strings.Contains(text, http.ErrSchemeMismatch.Error()):
			return `it speaks HTTP without TLS: the URL needs "http:" instead of "https:", or another port`
		case strings.Contains(text, x509.UnknownAuthorityError{}.Error()):
			return "who has signed its certificate is not known here: set RootCAs of the TLSClientConfig of the transport of HTTP.Client, or the variable SSL_CERT_FILE where the system reads that"
		case strings.Contains(text, "tls: certificate required"):
			return "it wants a certificate of the client: set Certificates of the TLSClientConfig of the transport of HTTP.Client"
		}
		return ""
	}
	wants := strings.Contains(text, `malformed HTTP response "\x15\x03`) // an alert of TLS
	if last.Status == http.StatusBadRequest {
		// In the words of Go, nginx and Apache.
		for _, words := range []string{"HTTP request to an HTTPS server", "HTTP request was sent to HTTPS port", "plain HTTP to an SSL-enabled server port"} {
			wants = wants || strings.Contains(last.Excerpt, words)
		}
	}
	if wants {
		return `it wants TLS: the URL needs "https:" instead of "http:"`
	}
	return ""
}
