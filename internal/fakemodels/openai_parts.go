package fakemodels

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// openAIImage reads a data: URL of an image.
func openAIImage(url string) (Image, error) {
	header, data, ok := strings.Cut(url, ";base64,")
	media, isData := strings.CutPrefix(header, "data:")
	if !ok || !isData {
		return Image{}, refusal("Invalid image URL: the endpoint is on this machine and downloads nothing")
	}
	return imageOf(media, data)
}

// imageOf decodes an image, of a type that the vision guides of OpenAI and
// Anthropic list, whose bytes are of that type.
func imageOf(media, encoded string) (Image, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) == 0 {
		return Image{}, refusal("invalid base64 data of an image")
	}
	switch media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return Image{}, refusal("unsupported image type %q: use png, jpeg, gif or webp", media)
	}
	if looks := http.DetectContentType(data); looks != media {
		return Image{}, refusal("Image does not match the provided media type %s: it is %s", media, looks)
	}
	return Image{media, len(data)}, nil
}

func answerOpenAI(w http.ResponseWriter, turn Turn, ids []string, stream bool) {
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	reason := "stop"
	var calls []any
	for i, call := range turn.Calls {
		reason = "tool_calls"
		calls = append(calls, object{"id": ids[i], "type": "function", "function": object{"name": call.Tool, "arguments": encode(arguments(call))}})
	}
	if !stream {
		message := object{"role": "assistant", "content": turn.Text}
		if calls != nil {
			message["tool_calls"] = calls
		}
		write(w, object{
			"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o", "usage": usage,
			"choices": []any{object{"index": 0, "finish_reason": reason, "message": message}},
		})
		return
	}
	chunk := func(delta object, finish any) any {
		return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	all := []any{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range pieces(turn.Text) {
		all = append(all, chunk(object{"content": piece}, nil))
	}
	for i, call := range turn.Calls {
		head := object{"index": i, "id": ids[i], "type": "function", "function": object{"name": call.Tool, "arguments": ""}}
		all = append(all, chunk(object{"tool_calls": []any{head}}, nil))
		for _, piece := range strings.SplitAfter(encode(arguments(call)), ":") {
			all = append(all, chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": piece}}}}, nil))
		}
	}
	all = append(all, chunk(object{}, reason), object{"choices": []any{}, "usage": usage}, "[DONE]")
	events(w, nil, all...)
}

// arguments returns the arguments of a call, an object in any case.
func arguments(call Call) map[string]any {
	if call.Arguments == nil {
		return object{}
	}
	return call.Arguments
}
