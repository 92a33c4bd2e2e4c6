package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// hintTimeout bounds the look for the transport that a server speaks.
const hintTimeout = 2 * time.Second

// hint says which other transport a server may speak whose handshake failed: those
// of 2024-11-05 have a stream where the others take messages.
func (h *httpLink) hint(ctx context.Context) string {
	h.mu.Lock()
	status := h.last.Status
	h.mu.Unlock()
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
	default:
		return ""
	}
	if h.sse {
		return `it has no stream of the transport "sse": if it speaks streamable HTTP, as most do, use config.StreamableHTTP, "http" in files`
	}
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if httpwire.SpeaksSSE(ctx, h.client, h.public.String()) {
		return `it speaks the transport of 2024-11-05: use config.SSE, "sse" in files`
	}
	return ""
}
