package calls

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// exact is the key in the _meta of a result under which its structured content
// is kept as text on the way through the SDK, which decodes each number to a
// float64.
const exact = "langchaingo-mcp/exact"

// KeepExact returns a result of a call that carries its structured content for
// Exact as well. It returns false for one without integers that a float64 does
// not hold.
func KeepExact(result []byte) (other []byte, changed bool) {
	if !longDigits(result) || !bytes.Contains(result, []byte(`"structuredContent"`)) {
		return nil, false
	}
	var members, meta map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || !inexact(members["structuredContent"]) {
		return nil, false
	}
	if raw, ok := members["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return nil, false
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[exact], _ = json.Marshal(string(members["structuredContent"])) // of what was read just now
	members["_meta"], _ = json.Marshal(meta)
	other, _ = json.Marshal(members)
	return other, true
}

// Exact returns res with the integers of its structured content that a float64
// does not hold as json.Number, if KeepExact kept them. It changes res.
func Exact(res *mcp.CallToolResult) *mcp.CallToolResult {
	if res == nil {
		return nil
	}
	text, kept := res.Meta[exact].(string)
	if !kept {
		return res
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var structured any
	if d.Decode(&structured) == nil {
		res.StructuredContent = narrowed(structured)
	}
	if delete(res.Meta, exact); len(res.Meta) == 0 {
		res.Meta = nil
	}
	return res
}

// narrowed returns v with float64 for all numbers but those that need more. It
// changes v.
func narrowed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			v[name] = narrowed(e)
		}
	case []any:
		for i, e := range v {
			v[i] = narrowed(e)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && !inexactNumber(v) {
			return f
		}
	}
	return v
}

// minInexact is how many digits the smallest integer has that a float64 does not
// hold, 2^53+1.
const minInexact = 16

// longDigits reports whether there are as many digits in a row.
func longDigits(data []byte) bool {
	run := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			run = 0
		} else if run++; run == minInexact {
			return true
		}
	}
	return false
}

// inexact reports whether JSON holds an integer that a float64 does not.
func inexact(data []byte) bool {
	if !longDigits(data) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if n, ok := token.(json.Number); ok && inexactNumber(n) {
			return true
		}
	}
}

func inexactNumber(n json.Number) bool {
	if len(n) < minInexact || strings.ContainsAny(string(n), ".eE") {
		return false
	}
	f, err := n.Float64()
	return err != nil || strconv.FormatFloat(f, 'f', 0, 64) != string(n)
}
