package prompttest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcp-prompts/prompts"
)

const (
	listChanged        = "notifications/prompts/list_changed"
	listenMethod       = "subscriptions/listen"
	acknowledgedMethod = "notifications/subscriptions/acknowledged"
)

// message is what the server has sent: a request, a notification or an answer.
type message struct {
	raw     []byte
	isBatch bool
	id      json.RawMessage // as it came; nil for none, and for null
	method  string
	params  json.RawMessage
	result  json.RawMessage
	failure *prompts.Error
}

func readMessage(raw []byte) (*message, error) {
	m := &message{raw: raw}
	if err := checkJSON(raw); err != nil {
		return nil, err
	}
	if bytes.TrimLeft(raw, " \t\r\n")[0] == '[' {
		m.isBatch = true
		return m, nil
	}
	o := newObject("JRP-01", "message", raw)
	if version := o.mustText("jsonrpc"); o.err == nil && version != "2.0" {
		o.reject("must have the jsonrpc %q, got %q", "2.0", version)
	}
	_, hasID := o.members["id"]
	if m.id = o.take("id"); isNull(m.id) {
		m.id = nil
	} else if m.id[0] != '"' && json.Unmarshal(m.id, new(int64)) != nil {
		o.breaks("JRP-02", "must have an id that is a string or an integer, got %s", m.id)
	}
	if o.read("method", "a string", &m.method) {
		switch m.params = o.take("params"); {
		case hasID && m.id == nil:
			o.breaks("JRP-03", "is a request, whose id must not be null")
		case hasID && strings.HasPrefix(m.method, "notifications/"):
			o.breaks("JRP-17", "is the notification %s, which must not have an id", m.method)
		case m.params != nil && m.params[0] != '{':
			o.breaks("JRP-31", "must have params that are a JSON object")
		}
		return m, o.end()
	}
	failure := o.take("error")
	switch m.result = o.take("result"); {
	case (m.result == nil) == (failure == nil):
		o.breaks("JRP-07", "must have a method, or either a result or an error")
	case failure != nil:
		var err error
		m.failure, err = readError(failure)
		o.keep(err)
	case m.result[0] != '{':
		o.breaks("JRP-08", "must have a result that is a JSON object")
	case m.id == nil:
		o.breaks("JRP-06", "is a response with a result, which must have an id")
	}
	return m, o.end()
}

// readError reads the error of a response. Its data is what encoding/json makes of it.
func readError(raw json.RawMessage) (*prompts.Error, error) {
	o := newObject("JRP-11", "error", raw)
	e := new(prompts.Error)
	o.must("code", "an integer", &e.Code)
	e.Message = o.mustText("message")
	if data := o.take("data"); data != nil {
		o.keep(json.Unmarshal(data, &e.Data))
	}
	return e, o.end()
}
