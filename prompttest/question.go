package prompttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
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

// reply answers a question of a session.
func (c *Client) reply(a *asked) error {
	answer := map[string]any{"jsonrpc": "2.0", "id": a.id}
	switch v := c.options.Answer(a.question).(type) {
	case *prompts.Error:
		failure := map[string]any{"code": v.Code, "message": v.Message}
		if v.Data != nil {
			failure["data"] = v.Data
		}
		answer["error"] = failure
	case error:
		answer["error"] = map[string]any{"code": prompts.CodeInternalError, "message": v.Error()}
	default:
		answer["result"] = v
	}
	msg, err := encode(answer)
	if err != nil {
		return err
	}
	return c.write(msg)
}

// mostRounds is how many times a prompt may ask before it is taken to do so
// without end.
const mostRounds = 32

// inputResponses answers the questions of a result of revision 2026-07-28,
// and puts what its retry needs to params.
func (c *Client) inputResponses(raw json.RawMessage, params map[string]any) error {
	o := newObject("MRT-05", "result", raw)
	o.text("resultType")
	c.protocol.meta(o)
	var requests map[string]json.RawMessage
	var state *string
	o.read("inputRequests", "an object", &requests)
	o.read("requestState", "a string", &state)
	if requests == nil && state == nil {
		o.reject("must have inputRequests or a requestState")
	}
	if err := o.end(); err != nil {
		return err
	}
	delete(params, "requestState")
	if state != nil {
		params["requestState"] = *state
	}
	delete(params, "inputResponses")
	responses := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(requests)) { // so that Answer has the same order in each run
		r := newObject("MRT-06", fmt.Sprintf("question %q", key), requests[key])
		q := newQuestion(key, r.mustText("method"), r.take("params"))
		if err := r.end(); err != nil {
			return err
		}
		if err := c.checkAsked(q); err != nil {
			return err
		}
		if c.options.Answer == nil {
			return fmt.Errorf("server asks (%s: %s); set ClientOptions.Answer", q.Method, q.Message)
		}
		v := c.options.Answer(q)
		if err, ok := v.(error); ok {
			return fmt.Errorf("question %q cannot be answered with an error in protocol version %s: %w", key, c.protocol.String(), err)
		}
		responses[key] = v
	}
	if len(responses) > 0 {
		params["inputResponses"] = responses
	}
	return nil
}
