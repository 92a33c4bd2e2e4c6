package httpwire_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// A session of the SDK whose calls carry a header, and whose progress is seen
// with the context of the call that it belongs to.
func Example() {
	server := httptest.NewServer(stateful(newServer(nil)))
	defer server.Close()

	type caller struct{}
	wire := httpwire.New(httpwire.Options{Hooks: httpwire.Hooks{
		Headers: func(ctx context.Context) (http.Header, error) {
			connection := http.Header{"X-Client": {"example"}}
			call, _ := ctx.Value(caller{}).(http.Header)
			return httpwire.MergeHeaders(connection, call), nil
		},
		Inbound: func(ctx context.Context, req *jsonrpc.Request) bool {
			fmt.Println(req.Method, "for", ctx.Value(caller{}).(http.Header).Get("X-Tenant"))
			return false
		},
		Responded: func(_ context.Context, a httpwire.Answer) {
			fmt.Println(a.Method, a.Status)
		},
	}})
	defer wire.Close()

	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:     server.URL,
		HTTPClient:   wire.Client(nil),
		MaxEventSize: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	params := &mcp.CallToolParams{Name: "progress"}
	params.SetProgressToken("token")
	_, err = session.CallTool(context.WithValue(ctx, caller{}, http.Header{"X-Tenant": {"acme"}}), params)
	fmt.Println("error:", err)
	// Output:
	// initialize 200
	// notifications/initialized 202
	// tools/call 200
	// notifications/progress for acme
	// notifications/progress for acme
	// notifications/progress for acme
	// error: <nil>
}
