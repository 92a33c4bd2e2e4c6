package transport

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// unreadable is the key in the _meta of a block under which the block that the
// server sent is kept, where it had to be changed. Package adapters knows it.
const unreadable = "langchaingo-mcp/unreadable"

// mendBlock returns the block as the SDK can read it, or text that stands for
// it. It returns nil for null.
func mendBlock(raw json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		var text string
		if json.Unmarshal(raw, &text) == nil { // a server that forgot the block around its text
			return newBlock(text, nil), err
		}
		return newBlock("[unsupported content]", raw), err
	}
	if members == nil {
		return nil, errors.New("null")
	}
	was := decodable(inResult(raw), new(mcp.CallToolResult))
	var kind string
	if json.Unmarshal(members["type"], &kind) != nil || kind == "" {
		return newBlock("[unsupported content]", raw), was
	}
	if text := members["text"]; text != nil && !isString(text) {
		members["text"], _ = json.Marshal(string(text))
	}
	mendData(members, "data")
	if resource, ok := members["resource"]; ok {
		if mended, err := mendResource(resource); err != nil {
			members["resource"] = mended
		}
	}
	for _, name := range sorted(members) {
		alone, _ := json.Marshal(map[string]json.RawMessage{"type": members["type"], name: members[name]})
		if name != "type" && decodable(inResult(alone), new(mcp.CallToolResult)) != nil {
			delete(members, name)
		}
	}
	whole := len(members["data"]) > 0 || kind != "image" && kind != "audio"
	if kind == "resource" {
		whole = len(members["resource"]) > 0
	}
	keepRaw(members, raw)
	mended, _ := json.Marshal(members)
	if whole && decodable(inResult(mended), new(mcp.CallToolResult)) == nil {
		return mended, was
	}
	return newBlock(fmt.Sprintf("[unsupported content: %.60q]", kind), raw), was
}

// mendMessage mends the content of a message of a prompt.
func mendMessage(raw json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, errors.Join(errors.New("no message"), err)
	}
	mended, err := newBlock("", nil), errors.New("no content")
	if content := members["content"]; content != nil && string(content) != "null" {
		mended, err = mendBlock(content)
	}
	members["content"] = mended
	message, _ := json.Marshal(members)
	return message, err
}

// mendResource mends the contents of a resource. The error is nil if there was
// nothing to mend.
func mendResource(raw json.RawMessage) (json.RawMessage, error) {
	was := decodable(raw, new(mcp.ResourceContents))
	if was == nil {
		return raw, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, was
	}
	mendData(members, "blob")
	if text := members["text"]; text != nil && !isString(text) {
		members["text"], _ = json.Marshal(string(text))
	}
	for _, name := range sorted(members) {
		alone, _ := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if decodable(alone, new(mcp.ResourceContents)) != nil {
			delete(members, name)
			if name == "blob" && members["text"] == nil {
				members["text"], _ = json.Marshal("[data that is not base64]")
			}
		}
	}
	keepRaw(members, raw)
	mended, _ := json.Marshal(members)
	return mended, was
}

// mendData writes data in the base64 of the specification where it came in
// another: without padding, of the alphabet for URLs, with line breaks, or as a
// data: URL.
func mendData(members map[string]json.RawMessage, name string) {
	var text string
	if members[name] == nil || json.Unmarshal(members[name], &text) != nil {
		return
	}
	if head, data, ok := strings.Cut(text, ","); ok && strings.HasPrefix(head, "data:") && strings.HasSuffix(head, ";base64") {
		text = data
	}
	text = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, text)
	if data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "=")); err == nil {
		members[name], _ = json.Marshal(data)
	}
}

// keepRaw keeps what the server sent in the _meta of members.
func keepRaw(members map[string]json.RawMessage, raw json.RawMessage) {
	meta := map[string]json.RawMessage{}
	if json.Unmarshal(members["_meta"], &meta) != nil || meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[unreadable] = raw
	members["_meta"], _ = json.Marshal(meta)
}

func newBlock(text string, raw json.RawMessage) json.RawMessage {
	quoted, _ := json.Marshal(text)
	members := map[string]json.RawMessage{"type": json.RawMessage(`"text"`), "text": quoted}
	if raw != nil {
		keepRaw(members, raw)
	}
	block, _ := json.Marshal(members)
	return block
}

// inResult returns a result with one block.
func inResult(block json.RawMessage) []byte {
	result, _ := json.Marshal(map[string][]json.RawMessage{"content": {block}})
	return result
}

func isString(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

func sorted(members map[string]json.RawMessage) []string {
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
