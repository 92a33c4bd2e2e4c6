package calls

import (
	"bytes"
	"encoding/json"
)

// Result returns what the SDK can decode in the place of a result that it
// cannot: one whose requests for input leave out parameters that they do not
// need, as roots/list does.
func Result(result []byte) (other []byte, changed bool) {
	if !bytes.Contains(result, []byte(`"inputRequests"`)) {
		return nil, false
	}
	var members, inputs map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || json.Unmarshal(members["inputRequests"], &inputs) != nil {
		return nil, false
	}
	for id, raw := range inputs {
		var input map[string]json.RawMessage
		if json.Unmarshal(raw, &input) != nil || input == nil {
			continue // the call fails
		}
		if params := input["params"]; params != nil && string(params) != "null" {
			continue
		}
		input["params"] = json.RawMessage("{}")
		inputs[id], _ = json.Marshal(input) // of what was read just now
		changed = true
	}
	if !changed {
		return nil, false
	}
	members["inputRequests"], _ = json.Marshal(inputs)
	other, _ = json.Marshal(members)
	return other, true
}
