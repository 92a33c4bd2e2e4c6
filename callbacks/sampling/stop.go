package sampling

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// The stop reasons of the specification.
const (
	endTurn      = "endTurn"
	stopSequence = "stopSequence"
	maxTokens    = "maxTokens"
	toolUse      = "toolUse"
)

// stopReason translates what the providers of langchaingo call it: OpenAI's
// finish reasons, Anthropic's stop reasons, Google's enumeration by the names
// that its Go package has for it, and those of the models on Bedrock. Others
// stay as they are.
func stopReason(reason string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(reason))
	switch strings.TrimPrefix(plain, "finishreason") {
	case "stop", "endturn", "complete", "finish", "finished", "endoftext":
		return endTurn
	case "stopsequence", "stopcriteriamet":
		return stopSequence
	case "length", "maxtokens", "modellength", "modelcontextwindowexceeded":
		return maxTokens
	case "tooluse", "toolcalls", "functioncall":
		return toolUse
	case "", "null", "unspecified":
		return ""
	}
	return reason
}

// usageOf returns what is told of the tokens used, by whatever names, or nil.
func usageOf(info map[string]any) map[string]any {
	told := maps.Clone(info)
	if nested := info["usage"]; nested != nil { // Mistral's, a struct
		data, _ := json.Marshal(nested)
		_ = json.Unmarshal(data, &told) // nothing is told by what is no object
	}
	usage := map[string]any{}
	some := false
	for name, aliases := range map[string][]string{
		"inputTokens":  {"InputTokens", "PromptTokens", "input_tokens", "prompt_tokens"},
		"outputTokens": {"OutputTokens", "CompletionTokens", "output_tokens", "completion_tokens"},
		"totalTokens":  {"TotalTokens", "total_tokens"},
	} {
		for _, alias := range aliases {
			if n, ok := count(told[alias]); ok {
				usage[name] = n
				some = some || n != 0
				break
			}
		}
	}
	if !some {
		return nil // langchaingo tells of nothing where a provider told nothing
	}
	input, hasInput := usage["inputTokens"].(int64)
	output, hasOutput := usage["outputTokens"].(int64)
	if usage["totalTokens"] == nil && hasInput && hasOutput {
		usage["totalTokens"] = input + output
	}
	return usage
}

// count returns a number of whatever type.
func count(v any) (int64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int(), true
	case r.CanUint():
		return int64(r.Uint()), true
	case r.CanFloat():
		return int64(r.Float()), true
	}
	return 0, false
}
