package httpwire

import (
	"context"
	"net/http"
)

type probeKey struct{}

// SpeaksSSE asks whether what is at an endpoint is the stream of the 2024-11-05
// transport, whose first event names the URL for messages. The client is one of
// [Transport.Client]. It takes no longer than ctx lasts.
func SpeaksSSE(ctx context.Context, client *http.Client, endpoint string) bool {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, probeKey{}, true))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", eventStream)
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || mediaType(resp) != eventStream {
		return false
	}
	first := new(scanner)
	first.reset(resp.Body, maxErrorBody)
	ev, err := first.next()
	return err == nil && ev.name == "endpoint"
}

// isProbe reports whether a request is that of SpeaksSSE.
func isProbe(req *http.Request) bool { return req.Context().Value(probeKey{}) != nil }
