package servers

import (
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeHTTP serves s by streamable HTTP on a free port of this machine, until
// stop is called.
func ServeHTTP(s *mcp.Server) (url string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{
		Handler:           mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil),
		ReadHeaderTimeout: 10 * time.Second,
	}
	go server.Serve(listener) // returns when the server is closed
	return "http://" + listener.Addr().String() + "/mcp", server.Close, nil
}
