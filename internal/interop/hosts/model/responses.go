package model

import "strings"

// readResponses reads a request of OpenAI's responses.
func readResponses(body map[string]any) Request {
	var r Request
	if s, isText := body["input"].(string); isText {
		r.Messages = []Message{{Role: "user", Parts: []string{s}}}
	}
	for _, item := range list(body["input"]) {
		kind, role := text(member(item, "type")), text(member(item, "role"))
		switch {
		case role == "system" || role == "developer":
		case kind == "function_call":
			call := called(text(member(item, "name")), text(member(item, "arguments")))
			r.Messages = append(r.Messages, Message{Role: "assistant", Parts: []string{call}, IsAnswer: true})
		case strings.HasSuffix(kind, "_output"):
			r.Messages = append(r.Messages, Message{Role: "tool", Parts: parts(member(item, "output"))})
		case role != "":
			r.Messages = append(r.Messages, Message{Role: role, Parts: parts(member(item, "content")), IsAnswer: role == "assistant"})
		}
	}
	for _, t := range list(body["tools"]) {
		r.Tools = append(r.Tools, Tool{Name: text(member(t, "name"))})
		for _, inner := range list(member(t, "tools")) {
			r.Tools = append(r.Tools, Tool{Name: text(member(inner, "name")), Namespace: text(member(t, "name"))})
		}
	}
	return r
}

func writeResponses(w *writer, c *call) {
	part := object{"type": "output_text", "text": Answer, "annotations": []any{}}
	item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []any{part}}
	added := item.with(object{"content": []any{}})
	if c != nil {
		item = object{"type": "function_call", "id": c.id("fc_"), "call_id": c.id("call_"), "name": c.Name, "arguments": c.arguments, "status": "completed"}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		added = item.with(object{"arguments": ""})
	}
	usage := object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 2, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 3}
	response := object{"id": "resp_1", "object": "response", "created_at": 1, "status": "in_progress", "model": w.model, "output": []any{}}
	completed := response.with(object{"status": "completed", "output": []any{item}, "usage": usage})
	if !w.isStream {
		w.json(completed)
		return
	}
	var events []event
	add := func(kind string, data object) {
		events = append(events, event{kind, data.with(object{"type": kind, "sequence_number": len(events)})})
	}
	place := object{"item_id": item["id"], "output_index": 0}
	add("response.created", object{"response": response})
	add("response.output_item.added", object{"output_index": 0, "item": added})
	if c == nil {
		place["content_index"] = 0
		add("response.content_part.added", place.with(object{"part": part.with(object{"text": ""})}))
		add("response.output_text.delta", place.with(object{"delta": Answer}))
		add("response.output_text.done", place.with(object{"text": Answer}))
	} else {
		add("response.function_call_arguments.done", place.with(object{"name": c.Name, "arguments": c.arguments}))
	}
	add("response.output_item.done", object{"output_index": 0, "item": item})
	add("response.completed", object{"response": completed})
	w.events("", events...)
}
