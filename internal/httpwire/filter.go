package httpwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

// A filter turns the events of one stream, or of several that resume each
// other, into those that the SDK is given.
type filter struct {
	w   *wire
	ctx context.Context // for Inbound
	// call is that which the stream was opened for. Its response is the last
	// message that is passed on.
	call call
	// listening says that the stream belongs to the session although it was
	// opened by a call: its end is none of the session.
	listening bool

	out      []byte // what the SDK has not read yet
	named    bool   // the endpoint of the 2024-11-05 transport was read
	answered bool   // the response to the call is in out, or read
	taken    bool   // and the SDK has no need of it
	passed   bool   // there was something for the SDK to read
	failed   string // the error of the response to subscriptions/listen

	lastID   string
	retry    time.Duration
	hasRetry bool
	progress bool // an event with data or a new id was seen
}

// event takes the next event of the stream.
func (f *filter) event(ev *event) {
	if ev.hasID {
		f.progress = f.progress || ev.id != f.lastID
		f.lastID = ev.id
	}
	if ev.hasRetry {
		f.retry, f.hasRetry = ev.retry, true
	}
	if f.w.sse {
		f.eventSSE(ev)
		return
	}
	switch {
	case ev.oversize:
		f.progress = true
		f.oversize(ev.skimmed)
	case len(ev.data) == 0:
	case ev.name != "" && ev.name != "message":
		f.progress = true
	default:
		f.progress = true
		if batch, err := splitBatch(ev.data); batch == nil && err == nil {
			f.out = appendEvent(f.out, "", ev, f.message(ev.data))
			return
		}
		f.data(ev.data)
	}
	f.out = appendEvent(f.out, "", ev, nil)
}

// eventSSE takes an event of the 2024-11-05 transport, whose client in the SDK
// reads every event but the first as a message, whatever its type and even if
// it has no data.
func (f *filter) eventSSE(ev *event) {
	switch {
	case ev.oversize:
		f.oversize(ev.skimmed)
	case ev.name == "endpoint" && !f.named:
		f.named = true
		f.out = appendEvent(f.out, ev.name, &event{}, ev.data)
	case ev.name == "" || ev.name == "message":
		f.data(ev.data)
	}
}

// data takes a message or a batch of them, which the protocol had until
// 2025-03-26. The response to the call goes last.
func (f *filter) data(data []byte) {
	if len(data) == 0 {
		return
	}
	batch, err := splitBatch(data)
	if err != nil {
		f.garbage(data, err)
		return
	}
	if batch == nil {
		f.out = appendEvent(f.out, "", &event{}, f.message(data))
		return
	}
	var answer []byte
	for _, element := range batch {
		answered := f.answered
		m := f.message(element)
		if f.answered && !answered {
			answer = m
			f.answered = false
			continue
		}
		f.out = appendEvent(f.out, "", &event{}, m)
	}
	if answer != nil {
		f.answered = true
		f.out = appendEvent(f.out, "", &event{}, answer)
	}
}

// message returns what of a message goes on to the SDK, or nil.
func (f *filter) message(data []byte) []byte {
	m, err := parseMessage(data)
	var passed []byte
	switch {
	case err != nil:
		passed = f.garbage(data, err)
	case m.isRequest:
		passed = f.inbound(data, &m)
	default:
		passed = f.response(data, &m)
	}
	f.passed = f.passed || passed != nil
	return passed
}

func (f *filter) inbound(data []byte, m *message) []byte {
	inbound := f.w.hooks.Inbound
	if inbound == nil {
		return data
	}
	req := m.request()
	if !inbound(f.ctx, req) {
		return nil
	}
	if bytes.Equal(req.Params, m.params) && req.Method == m.method && req.ID == m.id {
		return data
	}
	changed, err := jsonrpc.EncodeMessage(req)
	if err != nil {
		f.w.logger.Error("message dropped: it was changed to what is no JSON", "method", f.w.secrets.excerpt([]byte(m.method)), "error", err)
		return nil
	}
	return changed
}

func (f *filter) response(data []byte, m *message) []byte {
	if f.w.hideIn(m) {
		data = encodeResponse(m.id, nil, m.err)
	}
	if f.listening {
		// An end without an error, or the end of the subscription: neither
		// ends the session's interest.
		if m.err != nil {
			f.failed = fmt.Sprintf("error %d: %s", m.err.Code, f.w.secrets.excerpt([]byte(m.err.Message)))
		}
		return nil
	}
	if !f.call.isCall() {
		if m.id.IsValid() {
			return data
		}
		return f.garbage(data, fmt.Errorf("it is an error without an id: %s", f.w.secrets.excerpt([]byte(m.err.Message))))
	}
	switch {
	case m.id == f.call.id:
		f.answered = true
		if taken := f.w.take(f.ctx, f.call, m); taken != nil {
			f.taken = true
			return taken
		}
		if result, changed := f.w.result(f.call.method, m); changed {
			return encodeResponse(m.id, result, nil)
		}
		return data
	case !m.id.IsValid(), fmt.Sprint(m.id.Raw()) == fmt.Sprint(f.call.id.Raw()):
		// On the stream of a call it can mean none but that.
		f.answered = true
		result, _ := f.w.result(f.call.method, m)
		return encodeResponse(f.call.id, result, m.err)
	default:
		return data
	}
}

// garbage drops what is no message. On the stream of a call it fails the call
// if it may have been the response, and on the only stream that whose response it
// was plainly meant to be, which would wait for ever.
func (f *filter) garbage(data []byte, err error) []byte {
	why := f.w.secrets.excerpt([]byte(err.Error())) // decoders quote what they read
	f.w.dropped(fmt.Errorf("the server sent what is not a message (%s): %s", why, f.w.secrets.excerpt(data)))
	if f.w.sse {
		var s skim.Skimmer
		_, _ = s.Write(data) // never fails
		if m := s.Message(); m.Kind == skim.Response && m.ID.IsValid() {
			return errorResponse(m.ID, CodeTransport, fmt.Sprintf("the server's answer is not JSON-RPC (%s): %s", why, f.w.secrets.excerpt(data)))
		}
		return nil
	}
	head := bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n")
	if !f.call.isCall() || f.listening || len(head) == 0 || head[0] != '{' || bytes.Contains(head, []byte(`"method"`)) {
		return nil
	}
	return f.answer(CodeTransport, fmt.Sprintf("the server's answer is not JSON-RPC (%s): %s", why, f.w.secrets.excerpt(data)))
}

// oversize takes what is known of a message that is missing. It costs the call
// that it answers, or asks something for.
func (f *filter) oversize(m skim.Message) {
	text := fmt.Sprintf("the server sent a message of more than %d bytes: ask it for less, or raise MaxMessageSize", f.w.maxMessage)
	f.w.dropped(errors.New(text))
	switch notification := m.Kind == skim.Request && !m.ID.IsValid(); {
	case f.listening, notification:
	case f.call.isCall():
		f.fail(CodeTransport, text)
	case f.w.sse && m.Kind == skim.Response && m.ID.IsValid():
		f.out = appendEvent(f.out, "", &event{}, errorResponse(m.ID, CodeTransport, text))
	}
}

// answer returns a response that fails the call.
func (f *filter) answer(code int64, text string) []byte {
	f.answered = true
	return errorResponse(f.call.id, code, text)
}

// fail fails the call.
func (f *filter) fail(code int64, text string) {
	if !f.answered {
		f.out = appendEvent(f.out, "", &event{}, f.answer(code, text))
	}
}

// take copies from out.
func (f *filter) take(p []byte, from int) (n, next int) {
	n = copy(p, f.out[from:])
	if next = from + n; next < len(f.out) {
		return n, next
	}
	if cap(f.out) > keepSize {
		f.out = nil
	}
	f.out = f.out[:0]
	return n, 0
}
