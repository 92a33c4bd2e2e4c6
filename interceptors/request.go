package interceptors

import (
	"maps"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Request is one tool call on its way to a server.
type Request struct {
	// ServerName is the connection that the call goes to. Changing it has no
	// effect: a call stays on its server.
	ServerName string

	// ToolName is the name that the server gives the tool. Changing it calls
	// another tool of the same server.
	ToolName string

	// Arguments of the tool. Numbers that come from a model are [json.Number],
	// so that integers of any size stay exact.
	Arguments map[string]any

	// Headers are added to the HTTP requests of this call, replacing
	// headers of the same name that the connection sets and leaving the rest.
	// If the call is the one that opens the session, the handshake carries
	// them too; lists do not, and what they need belongs into the connection.
	// Transports other than HTTP ignore them. One that cannot be sent, such as a
	// value with a line break, fails the call before anything is sent.
	//
	// What the protocol or the encoding of messages owns is ignored: Content-*,
	// Accept, Accept-Encoding, Transfer-Encoding, Connection, Last-Event-Id,
	// Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method and Mcp-Name. Mcp-Param-*
	// do not replace what the schema of the tool puts there.
	Headers http.Header

	// Meta is sent as the _meta of the call. Keys that the protocol or this
	// library owns (the progress token, those that begin with
	// "io.modelcontextprotocol/") are overwritten.
	Meta mcp.Meta

	// Repeatable says that calling the tool twice with these arguments does no
	// harm, so that the call may be sent again if the connection is lost before
	// its answer has come. Otherwise only those are whose tool says so by its
	// annotations, and those that were surely not executed.
	Repeatable bool

	// Tool is the server's definition of the tool, for its annotations and
	// schemas, or nil when the server did not list it. It is shared: do not
	// change it. It does not follow a changed ToolName.
	Tool *mcp.Tool
}

// Clone returns a copy that shares nothing that can be changed with r, except
// Tool. Values of Arguments and Meta are copied as deeply as they consist of
// map[string]any and []any; others are shared. The maps of the copy are never
// nil.
func (r *Request) Clone() *Request {
	c := *r
	c.Arguments = cloneMap(r.Arguments)
	c.Meta = cloneMap(r.Meta)
	if c.Headers = r.Headers.Clone(); c.Headers == nil {
		c.Headers = http.Header{}
	}
	return &c
}

// Annotations returns what the server says of the tool that the call goes to,
// or the zero value, which promises nothing, when Tool is not the definition of
// ToolName. They are hints: a server that is not trusted may lie.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations.
func (r *Request) Annotations() mcp.ToolAnnotations {
	if r.Tool == nil || r.Tool.Name != r.ToolName || r.Tool.Annotations == nil {
		return mcp.ToolAnnotations{}
	}
	return *r.Tool.Annotations
}

func cloneMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	c := maps.Clone(m)
	for k, v := range c {
		c[k] = cloneValue(v)
	}
	return c
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		return cloneMap(v)
	case []any:
		if v == nil {
			return v
		}
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneValue(e)
		}
		return c
	default:
		return v
	}
}
