package model

// readChat reads a request of OpenAI's chat completions.
func readChat(body map[string]any) Request {
	var r Request
	for _, m := range list(body["messages"]) {
		message := Message{Role: text(member(m, "role")), Parts: parts(member(m, "content"))}
		if message.Role == "system" || message.Role == "developer" {
			continue
		}
		message.IsAnswer = message.Role == "assistant"
		for _, c := range list(member(m, "tool_calls")) {
			function := member(c, "function")
			message.Parts = append(message.Parts, called(text(member(function, "name")), text(member(function, "arguments"))))
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range list(body["tools"]) {
		r.Tools = append(r.Tools, Tool{Name: text(member(member(t, "function"), "name"))})
	}
	return r
}

func writeChat(w *writer, c *call) {
	reply := object{"id": "chat_1", "created": 1, "model": w.model, "object": "chat.completion"}
	usage := object{"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
	message, reason := object{"role": "assistant", "content": Answer}, "stop"
	if c != nil {
		function := object{"name": c.Name, "arguments": c.arguments}
		message["content"] = nil
		message["tool_calls"] = []any{object{"index": 0, "id": c.id("call_"), "type": "function", "function": function}}
		reason = "tool_calls"
	}
	if !w.isStream {
		w.json(reply.with(object{"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}}, "usage": usage}))
		return
	}
	chunk := reply.with(object{"object": "chat.completion.chunk"})
	w.events("data: [DONE]\n\n",
		event{"", chunk.with(object{"choices": []any{object{"index": 0, "delta": message, "finish_reason": nil}}})},
		event{"", chunk.with(object{"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}}})},
		event{"", chunk.with(object{"choices": []any{}, "usage": usage})},
	)
}
