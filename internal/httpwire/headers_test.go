package httpwire_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

func TestHeaders(t *testing.T) {
	var got *http.Request
	wire := httpwire.New(httpwire.Options{
		Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			got = req
			return reply(req, 202, "", strings.NewReader("")), nil
		}),
		Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
			return http.Header{
				"x-api-key":            {"k1", "k2"},
				"AUTHORIZATION":        {"Bearer explicit"},
				"Host":                 {"virtual.test"},
				"accept":               {"text/html"},
				"Accept-Encoding":      {"br"},
				"Content-Type":         {"text/plain"},
				"Content-Length":       {"5"},
				"mcp-session-id":       {"forged"},
				"Mcp-Protocol-Version": {"1999-01-01"},
				"Mcp-Method":           {"x"},
				"Mcp-Name":             {"x"},
				"Last-Event-ID":        {"x"},
				"Mcp-Param-Region":     {"replaced"},
				"Mcp-Param-Zone":       {"added"},
				"Mcp-Vendor":           {"mine"},
				"X-Empty":              {},
			}, nil
		}},
	})
	defer wire.Close()
	req := newPost(t.Context(), note)
	req.Header.Set("Authorization", "Bearer of the SDK")
	req.Header.Set("Mcp-Session-Id", "s1")
	req.Header.Set("Mcp-Param-Region", "eu")
	before := req.Header.Clone()
	do(t, wire, req)
	want := http.Header{
		"Accept":           {"application/json, text/event-stream"},
		"Authorization":    {"Bearer explicit"},
		"Content-Type":     {"application/json"},
		"Mcp-Param-Region": {"eu"},
		"Mcp-Param-Zone":   {"added"},
		"Mcp-Session-Id":   {"s1"},
		"Mcp-Vendor":       {"mine"},
		"X-Api-Key":        {"k1", "k2"},
	}
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got.Host != "virtual.test" {
		t.Errorf("Host = %q", got.Host)
	}
	if diff := cmp.Diff(before, req.Header); diff != "" {
		t.Errorf("the SDK's request was changed:\n%s", diff)
	}
}

func TestMergeHeaders(t *testing.T) {
	connection := http.Header{"x-a": {"1"}, "X-B": {"1", "2"}, "X-C": nil}
	call := http.Header{"X-A": {"2"}, "x-d": {"3"}}
	got := httpwire.MergeHeaders(nil, connection, call)
	want := http.Header{"X-A": {"2"}, "X-B": {"1", "2"}, "X-D": {"3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got["X-B"][0] = "changed"
	if connection["X-B"][0] != "1" {
		t.Error("the layer was changed")
	}
}

func TestHeadersStayWithTheEndpoint(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint, request string
		want              bool
	}{
		"same":            {"https://a.test/mcp", "https://a.test/mcp", true},
		"path and query":  {"https://a.test/mcp?x=1", "https://A.test/other", true},
		"default port":    {"https://a.test/mcp", "https://a.test:443/mcp", true},
		"default port 80": {"http://a.test:80/mcp", "HTTP://a.test/mcp", true},
		"port":            {"https://a.test/mcp", "https://a.test:8443/mcp", false},
		"host":            {"https://a.test/mcp", "https://evil.test/mcp", false},
		"subdomain":       {"https://a.test/mcp", "https://x.a.test/mcp", false},
		"scheme":          {"https://a.test/mcp", "http://a.test/mcp", false},
		"other scheme":    {"unix://a.test/mcp", "unix://a.test:1/mcp", false},
	} {
		t.Run(name, func(t *testing.T) {
			u, _ := url.Parse(test.endpoint)
			var got string
			wire := httpwire.New(httpwire.Options{
				Endpoint: u,
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					got = req.Header.Get("X-Key")
					return reply(req, 202, "", strings.NewReader("")), nil
				}),
				Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
					return http.Header{"X-Key": {"secret"}}, nil
				}},
			})
			defer wire.Close()
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, test.request, strings.NewReader(note))
			resp, err := wire.RoundTrip(req)
			if (err == nil) != test.want {
				t.Errorf("the request gave %v", err)
			}
			if err == nil {
				resp.Body.Close()
			}
			if (got == "secret") != test.want {
				t.Errorf("sent %q", got)
			}
		})
	}
}
