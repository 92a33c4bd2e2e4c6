package adapters

import (
	"encoding/json"
	"maps"
	"reflect"
)

// Usage is how many tokens a model has used, as far as its provider tells.
type Usage struct {
	// InputTokens is all that was read, cached tokens included, and OutputTokens
	// all that was written, reasoning included.
	InputTokens, OutputTokens int

	// CachedTokens is the part of InputTokens that was read from a cache.
	CachedTokens int

	// ReasoningTokens is the part of OutputTokens that was reasoning.
	ReasoningTokens int
}

func (u Usage) plus(v Usage) Usage {
	return Usage{
		InputTokens:     u.InputTokens + v.InputTokens,
		OutputTokens:    u.OutputTokens + v.OutputTokens,
		CachedTokens:    u.CachedTokens + v.CachedTokens,
		ReasoningTokens: u.ReasoningTokens + v.ReasoningTokens,
	}
}

// usageOf reads what langchaingo's providers (v0.1.14) put into a choice:
//
//	openai, ollama       PromptTokens CompletionTokens PromptCachedTokens ReasoningTokens
//	googleai, vertex     PromptTokens CompletionTokens CachedTokens (part of PromptTokens)
//	anthropic            InputTokens OutputTokens, and besides InputTokens
//	                     CacheReadInputTokens CacheCreationInputTokens
//	bedrock              input_tokens output_tokens
//	mistral              usage: a struct of prompt_tokens completion_tokens
func usageOf(info map[string]any) Usage {
	if nested, ok := info["usage"]; ok {
		info = maps.Clone(info)
		maps.Copy(info, asObject(nested))
	}
	count := func(keys ...string) int {
		for _, key := range keys {
			if n := asCount(info[key]); n > 0 {
				return n
			}
		}
		return 0
	}
	u := Usage{
		InputTokens:     count("PromptTokens", "prompt_tokens", "InputTokens", "input_tokens"),
		OutputTokens:    count("CompletionTokens", "completion_tokens", "OutputTokens", "output_tokens"),
		CachedTokens:    count("PromptCachedTokens", "CachedTokens", "CacheReadInputTokens"),
		ReasoningTokens: count("ReasoningTokens", "CompletionReasoningTokens", "ThinkingTokens"),
	}
	if _, anthropic := info["CacheCreationInputTokens"]; anthropic {
		u.InputTokens += count("CacheReadInputTokens") + count("CacheCreationInputTokens")
	}
	return u
}

// asObject returns the JSON object that v is written as.
func asObject(v any) map[string]any {
	if object, ok := v.(map[string]any); ok {
		return object
	}
	var object map[string]any
	if data, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(data, &object)
	}
	return object
}

// asCount returns a number of whatever type, 0 if it is none or negative.
func asCount(v any) int {
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
		return 0
	case r.CanInt():
		return int(max(r.Int(), 0))
	case r.CanUint():
		return int(min(r.Uint(), 1<<53))
	case r.CanFloat() && r.Float() > 0 && r.Float() < 1<<53:
		return int(r.Float())
	}
	return 0
}
