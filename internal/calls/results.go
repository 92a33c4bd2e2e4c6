package calls

import (
	"bytes"
	"encoding/json"
)

// Result returns what the SDK is to decode in the place of a result that asks
// for input: one whose requests all have parameters, without which it cannot
// decode them though roots/list needs none, and whose forms carry their schema
// as the server wrote it.
func Result(result []byte) (other []byte, changed bool) {
	if !bytes.Contains(result, []byte(`"inputRequests"`)) {
		return nil, false
	}
	var members, inputs map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || json.Unmarshal(members["inputRequests"], &inputs) != nil {
		return nil, false
	}
	for id, raw := range inputs {
		if own := ownInput(raw); own != nil {
			inputs[id] = own
			changed = true
		}
	}
	if !changed {
		return nil, false
	}
	members["inputRequests"], _ = json.Marshal(inputs) // of what was read just now
	other, _ = json.Marshal(members)
	return other, true
}

// ownInput returns what takes the place of a request for input, or nil. One
// that does not parse stays, and fails the call.
func ownInput(raw json.RawMessage) json.RawMessage {
	var input map[string]json.RawMessage
	if json.Unmarshal(raw, &input) != nil || input == nil {
		return nil
	}
	if params := input["params"]; params == nil || string(params) == "null" {
		input["params"] = json.RawMessage("{}")
	} else {
		own := ownForm(input["method"], params)
		if own == nil {
			return nil
		}
		input["params"] = own
	}
	own, _ := json.Marshal(input)
	return own
}

// ownForm returns the parameters of an elicitation with its schema kept, or nil
// if they are none.
func ownForm(method, params json.RawMessage) json.RawMessage {
	var name string
	var members, meta map[string]json.RawMessage
	if json.Unmarshal(method, &name) != nil || name != methodElicit || json.Unmarshal(params, &members) != nil || members == nil {
		return nil
	}
	if raw, ok := members["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return nil
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	keepSchema(members, meta)
	if len(meta) > 0 {
		members["_meta"], _ = json.Marshal(meta)
	} else {
		delete(members, "_meta")
	}
	own, _ := json.Marshal(members)
	return own
}
