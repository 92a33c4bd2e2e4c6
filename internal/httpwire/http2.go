package httpwire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// maxRefusals is how many times in a row a message may be sent that the server
	// refuses to look at, and refusalDelay about how long to wait before the third;
	// the wait doubles with each further one.
	maxRefusals  = 6
	refusalDelay = 50 * time.Millisecond
)

// roundTrip makes a request. It reports whether the server has promised that it
// did not look at one that failed.
//
// Go's HTTP/2 makes a request again that the server has reset with PROTOCOL_ERROR,
// for as long as that goes on, although it may have been executed each time. So
// that it cannot, it is not given the body twice, nor is what may turn out to be it;
// what it makes again with good reason is made again here.
func (t *Transport) roundTrip(req *http.Request) (resp *http.Response, unseen bool, err error) {
	body, major := req.GetBody, t.major.Load()
	switch {
	case req.Body == nil || req.Body == http.NoBody:
		resp, err = t.often(req)
	case body == nil || major != 0 && major != 2:
		resp, err = t.ask(req)
	case major == 0:
		resp, err = t.ask(once(req))
		if errors.Is(err, errReset) && begins(req) {
			again, bodyErr := body()
			if bodyErr != nil {
				return nil, false, err
			}
			own := req.WithContext(req.Context())
			own.Body = again
			return t.roundTrips(own, body)
		}
	default:
		return t.roundTrips(req, body)
	}
	if err == nil {
		t.major.Store(int32(resp.ProtoMajor))
	}
	return resp, false, err
}

// errReset is the error of a request that Go's HTTP/2 would make again, which does
// not tell what for.
var errReset = errors.New("the server has ended the stream of the request")

// once returns a request, of which it is not known what it will go by, that HTTP/2
// is not given twice. For HTTP/1 it must be, or a connection could be used only once
// that the server closes at the same time.
func once(req *http.Request) *http.Request {
	var two atomic.Bool
	own := req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		two.Store(byHTTP2(got.Conn))
	}}))
	own.GetBody = func() (io.ReadCloser, error) {
		if two.Load() {
			return nil, errReset
		}
		return req.GetBody()
	}
	return own
}

// byHTTP2 reports whether what goes by a connection goes by HTTP/2.
func byHTTP2(conn net.Conn) bool {
	secure, ok := conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// often makes a request without a body, which Go's HTTP/2 makes again too, and can
// only be kept from by the end of its context.
func (t *Transport) often(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var conns atomic.Int32
	resp, err := t.ask(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		if byHTTP2(got.Conn) && conns.Add(1) > maxRefusals {
			cancel(errReset)
		}
	}})))
	if err != nil {
		if context.Cause(ctx) == errReset {
			err = errReset
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &releasing{ReadCloser: resp.Body, cancel: cancel}
	return resp, nil
}

// begins reports whether a request is one that begins a session, which does no harm
// twice.
func begins(req *http.Request) bool {
	method := callOf(req).method
	return method == methodDiscover || method == "initialize"
}

func (t *Transport) roundTrips(req *http.Request, body func() (io.ReadCloser, error)) (resp *http.Response, unseen bool, err error) {
	for refusals := 0; ; {
		own := req.WithContext(req.Context())
		own.GetBody = nil
		if resp, err = t.ask(own); err == nil {
			t.major.Store(int32(resp.ProtoMajor))
			return resp, false, nil
		}
		err = unadvised(err)
		if !promisedUnseen(err) {
			return nil, false, err
		}
		if refusals++; refusals == maxRefusals || refusals > 1 && !sleep(req.Context(), refusalDelay<<(refusals-2)) {
			return nil, true, err
		}
		again, bodyErr := body()
		if bodyErr != nil {
			return nil, true, err
		}
		req = req.WithContext(req.Context())
		req.Body = again
	}
}

// promisedUnseen reports whether an error of Go's HTTP/2 says that the server has
// promised not to have looked at the request (RFC 9113, section 8.7). These have
// no types. If they came to be worded otherwise, the request would just not be made
// again.
func promisedUnseen(err error) bool {
	text := err.Error()
	return strings.Contains(text, "REFUSED_STREAM") || strings.Contains(text, "graceful shutdown GOAWAY")
}

// unadvised returns an error without what to do so that the request is made again.
func unadvised(err error) error {
	inner, cut := strings.CutPrefix(err.Error(), "http2: Transport: cannot retry err [")
	if inner, _, closed := strings.Cut(inner, "] after Request.Body was written"); cut && closed {
		return errors.New(inner)
	}
	return err
}
