package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A content is the result of a method that carries content. The SDK refuses
// the whole of it for one block of a kind that it does not know, for data that
// is not base64, and for one value of a wrong type.
type content struct {
	key   string                                             // of the parts
	whole func() any                                         // what the SDK decodes the result into
	quick func() any                                         // the same, without what always decodes
	part  func(raw json.RawMessage) (json.RawMessage, error) // one part mended, and what was wrong with it
}

var contents = map[string]content{
	"tools/call":     {"content", newOf[mcp.CallToolResult], newOf[quickResult], mendBlock},
	"prompts/get":    {"messages", newOf[mcp.GetPromptResult], newOf[mcp.GetPromptResult], mendMessage},
	"resources/read": {"contents", newOf[mcp.ReadResourceResult], newOf[mcp.ReadResourceResult], mendResource},
}

// A quickResult decodes if and only if a CallToolResult does, but does not
// build what may be large.
type quickResult struct {
	Meta       map[string]json.RawMessage `json:"_meta"`
	Content    []quickBlock               `json:"content"`
	IsError    bool                       `json:"isError"`
	ResultType string                     `json:"resultType"`
}

type quickBlock struct {
	Type        string                     `json:"type"`
	Text        anyString                  `json:"text"`
	MIMEType    string                     `json:"mimeType"`
	Data        []byte                     `json:"data"`
	Resource    *quickResource             `json:"resource"`
	URI         string                     `json:"uri"`
	Name        string                     `json:"name"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Size        *int64                     `json:"size"`
	Meta        map[string]json.RawMessage `json:"_meta"`
	Annotations *mcp.Annotations           `json:"annotations"`
	Icons       []mcp.Icon                 `json:"icons"`
	ID          string                     `json:"id"`
	Input       map[string]json.RawMessage `json:"input"`
	ToolUseID   string                     `json:"toolUseId"`
	Content     []quickBlock               `json:"content"`
	IsError     bool                       `json:"isError"`
}

type quickResource struct {
	URI      string                     `json:"uri"`
	MIMEType string                     `json:"mimeType"`
	Text     anyString                  `json:"text"`
	Blob     []byte                     `json:"blob"`
	Meta     map[string]json.RawMessage `json:"_meta"`
}

// UnmarshalJSON also refuses kinds of blocks that the SDK does not know.
func (r *quickResult) UnmarshalJSON(data []byte) error {
	type plain quickResult
	if err := decodable(data, (*plain)(r)); err != nil {
		return err
	}
	return known(r.Content, false)
}

func known(blocks []quickBlock, nested bool) error {
	for _, b := range blocks {
		switch b.Type {
		case "text", "image", "audio", "resource_link", "resource":
			continue
		case "tool_use":
			if !nested {
				continue
			}
		case "tool_result":
			if nested {
				break
			}
			if err := known(b.Content, true); err != nil {
				return err
			}
			continue
		}
		return fmt.Errorf("unknown type %s", brief(b.Type))
	}
	return nil
}

// An anyString is a string, which is not kept.
type anyString struct{}

func (anyString) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '"' || string(data) == "null") {
		return nil
	}
	return fmt.Errorf("no string: %s", brief(string(data)))
}

// mend returns what the SDK can decode in the place of a result that it cannot,
// with all that can be had of it, and tells report what was wrong. It returns
// false if there is nothing to mend, or nothing can be done.
func (c content) mend(result []byte, report func(error)) (other []byte, changed bool) {
	if decodable(result, c.quick()) == nil {
		return nil, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members == nil {
		return nil, false
	}
	var problems []error
	problem := func(what string, err error) {
		problems = append(problems, fmt.Errorf("the server's answer: %s is malformed: %s", what, brief(err.Error())))
	}
	parts, err := partsOf(members[c.key])
	if err != nil {
		problem("its "+c.key, err)
	}
	kept := make([]json.RawMessage, 0, len(parts))
	for i, part := range parts {
		if c.fits(part) {
			kept = append(kept, part)
			continue
		}
		mended, err := c.part(part)
		problem(fmt.Sprintf("the part of its %s with index %d", c.key, i), err)
		if mended != nil && c.fits(mended) {
			kept = append(kept, mended)
		}
	}
	members[c.key], _ = json.Marshal(kept) // of what was read just now
	if verdict := members["isError"]; verdict != nil && decodable(verdict, new(bool)) != nil {
		problem("its isError", errors.New(string(verdict)))
		members["isError"] = errorVerdict(verdict)
	}
	for key, value := range members {
		alone, _ := json.Marshal(map[string]json.RawMessage{key: value})
		if err := decodable(alone, c.whole()); err != nil && key != "inputRequests" { // those are mended elsewhere
			problem("its "+brief(key), err)
			delete(members, key)
		}
	}
	other, _ = json.Marshal(members)
	for _, err := range problems[:min(len(problems), maxDropped)] {
		report(err)
	}
	return other, true
}

// errorVerdict reads an isError that is no boolean. In doubt there was an error.
func errorVerdict(raw json.RawMessage) json.RawMessage {
	switch strings.ToLower(string(raw)) {
	case `"false"`, `"no"`, `""`, `0`, `"0"`:
		return json.RawMessage("false")
	}
	return json.RawMessage("true")
}

// fits reports whether the SDK can decode a part.
func (c content) fits(part json.RawMessage) bool {
	alone, err := json.Marshal(map[string][]json.RawMessage{c.key: {part}})
	return err == nil && string(part) != "null" && decodable(alone, c.whole()) == nil
}

// partsOf returns the parts of a result: one that is no list is the only part.
func partsOf(raw json.RawMessage) ([]json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return []json.RawMessage{raw}, err
	}
	return parts, nil
}
