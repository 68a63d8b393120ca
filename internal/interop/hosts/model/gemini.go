package model

import "strings"

// readGemini reads a request of Gemini's generateContent.
func readGemini(body map[string]any) Request {
	var r Request
	for _, c := range list(body["contents"]) {
		role := text(member(c, "role"))
		message := Message{Role: role, IsAnswer: role == "model"}
		for _, p := range list(member(c, "parts")) {
			switch {
			case member(p, "functionCall") != nil:
				call := member(p, "functionCall")
				message.Parts = append(message.Parts, called(text(member(call, "name")), part(member(call, "args"))))
			case member(p, "functionResponse") != nil:
				message.Role = "tool"
				message.Parts = append(message.Parts, part(member(member(p, "functionResponse"), "response")))
			default:
				message.Parts = append(message.Parts, part(p))
			}
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range list(body["tools"]) {
		for _, f := range list(member(t, "functionDeclarations")) {
			r.Tools = append(r.Tools, Tool{Name: text(member(f, "name"))})
		}
	}
	return r
}

func writeGemini(w *writer, c *call) {
	part := object{"text": Answer}
	if c != nil {
		part = object{"functionCall": object{"name": c.Name, "args": c.decoded()}}
	}
	reply := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if !strings.Contains(w.path, "stream") {
		w.json(reply)
		return
	}
	w.events("", event{"", reply})
}
