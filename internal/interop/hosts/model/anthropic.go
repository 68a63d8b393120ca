package model

import "fmt"

func readAnthropic(body map[string]any) Request {
	var r Request
	for _, m := range list(body["messages"]) {
		role := text(member(m, "role"))
		if role == "system" {
			continue
		}
		content := member(m, "content")
		message := Message{Role: role, IsAnswer: role == "assistant"}
		if s, isText := content.(string); isText {
			message.Parts = []string{s}
		}
		for _, p := range list(content) {
			switch text(member(p, "type")) {
			case "tool_use":
				message.Parts = append(message.Parts, called(text(member(p, "name")), part(member(p, "input"))))
			case "tool_result":
				message.Role = "tool"
				for _, inner := range parts(member(p, "content")) {
					if member(p, "is_error") == true {
						inner = "(error) " + inner
					}
					message.Parts = append(message.Parts, inner)
				}
			default:
				message.Parts = append(message.Parts, part(p))
			}
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range list(body["tools"]) {
		r.Tools = append(r.Tools, Tool{Name: text(member(t, "name"))})
	}
	return r
}

// called returns the part of a message that calls a tool.
func called(name, arguments string) string { return fmt.Sprintf("call of %s %s", name, arguments) }

func writeAnthropic(w *writer, c *call) {
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": w.model, "stop_sequence": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1}}
	block, stop := object{"type": "text", "text": Answer}, "end_turn"
	empty, delta := block.with(object{"text": ""}), object{"type": "text_delta", "text": Answer}
	if c != nil {
		block, stop = object{"type": "tool_use", "id": c.id("toolu_"), "name": c.Name, "input": c.decoded()}, "tool_use"
		empty, delta = block.with(object{"input": object{}}), object{"type": "input_json_delta", "partial_json": c.arguments}
	}
	if !w.isStream {
		w.json(message.with(object{"content": []any{block}, "stop_reason": stop}))
		return
	}
	w.events("",
		event{"message_start", object{"type": "message_start", "message": message.with(object{"content": []any{}, "stop_reason": nil})}},
		event{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": empty}},
		event{"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta}},
		event{"content_block_stop", object{"type": "content_block_stop", "index": 0}},
		event{"message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 2}}},
		event{"message_stop", object{"type": "message_stop"}},
	)
}
