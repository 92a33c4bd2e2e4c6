package fakemodels

import (
	"net/http"
	"strings"
)

// anthropicBlocks are the content of an answer. Text comes before calls.
func anthropicBlocks(turn Turn, ids []string) (blocks []any, reason string) {
	reason = "end_turn"
	if turn.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": turn.Text})
	}
	for i, call := range turn.Calls {
		reason = "tool_use"
		blocks = append(blocks, object{"type": "tool_use", "id": ids[i], "name": call.Tool, "input": arguments(call)})
	}
	return blocks, reason
}

func answerAnthropic(w http.ResponseWriter, turn Turn, ids []string, stream bool) {
	blocks, reason := anthropicBlocks(turn, ids)
	message := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": blocks,
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 5},
	}
	if !stream {
		write(w, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	all := []any{object{"type": "message_start", "message": message}}
	for i, block := range blocks {
		delta := func(d object) any { return object{"type": "content_block_delta", "index": i, "delta": d} }
		if text(block, "type") == "text" {
			all = append(all, object{"type": "content_block_start", "index": i, "content_block": object{"type": "text", "text": ""}})
			for _, piece := range pieces(text(block, "text")) {
				all = append(all, delta(object{"type": "text_delta", "text": piece}))
			}
		} else {
			head := object{"type": "tool_use", "id": at(block, "id"), "name": at(block, "name"), "input": object{}}
			all = append(all, object{"type": "content_block_start", "index": i, "content_block": head})
			for _, piece := range strings.SplitAfter(encode(at(block, "input")), ":") {
				all = append(all, delta(object{"type": "input_json_delta", "partial_json": piece}))
			}
		}
		all = append(all, object{"type": "content_block_stop", "index": i})
	}
	all = append(all,
		object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 5}},
		object{"type": "message_stop"})
	events(w, func(event any) string { return text(event, "type") }, all...)
}
