package prompttest

import (
	"encoding/json"
)

// Question is a question of the server to a [Client].
type Question struct {
	// Key is the name of the question in its prompt, in protocol version 2026-07-28.
	// It is empty in a session.
	Key string
	// Method is elicitation/create, sampling/createMessage or roots/list.
	Method string
	// Message is the text for the user, for elicitation/create.
	Message string
	// Params are the params of the request.
	Params json.RawMessage
}

func newQuestion(key, method string, params json.RawMessage) Question {
	var p struct{ Message string }
	_ = json.Unmarshal(params, &p) // a question may have no message
	return Question{Key: key, Method: method, Message: p.Message, Params: params}
}

// asked is a question that came as a request.
type asked struct {
	question Question
	id       json.RawMessage
}

// Accept returns the answer of a user who submits the form with content, or who
// agrees to open a URL if content is nil.
func Accept(content any) any {
	if content == nil {
		return map[string]any{"action": "accept"}
	}
	return map[string]any{"action": "accept", "content": content}
}

// Decline returns the answer of a user who declines.
func Decline() any { return map[string]any{"action": "decline"} }

// Cancel returns the answer of a user who closes the question.
func Cancel() any { return map[string]any{"action": "cancel"} }
