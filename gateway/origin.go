package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An origin is the request of a client that a request to a server is made for.
// It travels in the context, which the callbacks of the request get.
type origin struct {
	caps     *mcp.ClientCapabilities
	meta     mcp.Meta  // to pass on
	exchange *exchange // nil for clients that can be asked while they wait
	server   string    // that the request goes to

	mu      sync.Mutex
	current waiter
	late    []func(waiter) // events for the next waiter
	told    progress       // used by events
}

// A waiter is a request of the client that waits for its answer.
type waiter struct {
	ctx     context.Context // nil while there is none
	session *mcp.ServerSession
	token   any // of progress, nil if the client wants none
}

// A progress is how far a request has come, as its client was told. It only
// increases (progress, "Progress Flow" in the specification), whatever the server
// reports; a call that is made again begins anew there.
type progress struct {
	most float64
	any  bool
}

// increases reports whether the client is to be told of a value.
func (p *progress) increases(value float64) bool {
	if p.any && value <= p.most {
		return false
	}
	p.most, p.any = value, true
	return true
}

type originKey struct{}

func originOf(ctx context.Context) *origin {
	o, _ := ctx.Value(originKey{}).(*origin)
	return o
}

// maxLate is how many events wait while a client answers a question.
const maxLate = 1000

// deliver passes an event on with the request that waits: now, or when the
// client has answered what it was asked. Events stay in order.
func (o *origin) deliver(event func(waiter)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.current.ctx != nil:
		event(o.current)
	case len(o.late) < maxLate:
		o.late = append(o.late, event)
	}
}

// setWaiter says which request waits from now on, if any.
func (o *origin) setWaiter(w waiter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.current = w
	if w.ctx != nil {
		for _, event := range o.late {
			event(w)
		}
		o.late = nil
	}
}

// waits reports whether a request waits.
func (o *origin) waits() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.current.ctx != nil
}

// session returns that of the request that waits, or nil.
func (o *origin) session() *mcp.ServerSession {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.current.session
}

// inFlight are the requests of a client that can be asked by results only, in
// the order in which they began.
type inFlight struct {
	mu  sync.Mutex
	all []*origin
}

func (f *inFlight) add(o *origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, o)
}

func (f *inFlight) remove(o *origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(other *origin) bool { return other == o })
}

// any returns one of the requests to the server, rather one that waits, or nil.
// It is for events that belong to one of them, it cannot be told which: the
// client is the right one in any case.
func (f *inFlight) any(server string) *origin {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found *origin
	for _, o := range f.all {
		if o.server != server {
			continue
		}
		if o.waits() {
			return o
		}
		if found == nil {
			found = o
		}
	}
	return found
}

// A downRequest is a request of a client: *mcp.CallToolRequest and the like.
type downRequest interface {
	mcp.Request
	ClientCapabilities() *mcp.ClientCapabilities
	ProtocolVersion() string
}

func newOrigin(ctx context.Context, req downRequest, meta mcp.Meta) *origin {
	return &origin{caps: req.ClientCapabilities(), meta: foreignMeta(meta), current: newWaiter(ctx, req)}
}

func newWaiter(ctx context.Context, req downRequest) waiter {
	w := waiter{ctx: ctx}
	w.session, _ = req.GetSession().(*mcp.ServerSession)
	if params, ok := req.GetParams().(mcp.RequestParams); ok {
		w.token = params.GetProgressToken()
	}
	return w
}

// userOf returns who is logged in, if that is known.
func userOf(req downRequest) string {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}

// clientOf tells clients apart: by who is logged in, or else by their session. It
// is empty for clients that have neither.
func (p *peer) clientOf(req downRequest) string {
	switch user := userOf(req); {
	case user != "":
		return "user\x00" + user
	case p.shared:
		return ""
	default:
		return "session\x00" + p.id
	}
}

// foreignMeta returns the keys of meta that are not about one connection.
func foreignMeta(meta mcp.Meta) mcp.Meta {
	own := mcp.Meta{}
	for key, v := range meta {
		if key != "progressToken" && !strings.HasPrefix(key, "io.modelcontextprotocol/") {
			own[key] = v
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own
}

// forwardMeta puts the _meta of the client's request into that to the server.
func forwardMeta(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	if o := originOf(ctx); o != nil {
		maps.Copy(req.Meta, o.meta)
	}
	return next(ctx, req)
}

// wireError returns what a client is told of an error. What a server refused it
// with is passed on as it came, and what the client lacks is said; of other
// failures not the details, which are about the gateway's side.
func wireError(err error) error {
	var (
		refused *jsonrpc.Error
		client  *multiclient.Error
		adapter *adapters.Error
		lacking *notAsked
	)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &lacking) && lacking.required != nil:
		return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: lacking.answer.Message, Data: lacking.required}
	case errors.As(err, &lacking):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: lacking.answer.Message}
	case errors.As(err, &client) && client.Kind == multiclient.ErrRefused && errors.As(client, &refused) && !ownCode(refused.Code):
		return &jsonrpc.Error{Code: refused.Code, Message: refused.Message, Data: refused.Data}
	case errors.As(err, &client) && client.Kind == multiclient.ErrBadArguments && client.Err != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: client.Err.Error()}
	case errors.As(err, &client):
		message := string(client.Kind)
		if client.Server != "" {
			message = fmt.Sprintf("server %q: %s", client.Server, message)
		}
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
	case errors.As(err, &refused):
		return &jsonrpc.Error{Code: refused.Code, Message: refused.Message, Data: refused.Data}
	case errors.As(err, &adapter) && adapter.Err != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: adapter.Err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

const (
	codeRejected = -32005 // of the SDK: the server refused the message by a status of HTTP
	codeNoAnswer = -32050 // of this library: the answer was none of the protocol
)

// ownCode reports whether no server has sent an error with the code.
func ownCode(code int64) bool { return code == codeRejected || code == codeNoAnswer }

// contained runs f and turns a panic into an error, since the SDK would let it
// end the process.
func contained[R any](f func() (R, error)) (res R, err error) {
	defer func() {
		if v := recover(); v != nil {
			var zero R
			res, err = zero, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the gateway failed on this request"}
		}
	}()
	return f()
}
