package prompttest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcp-prompts/prompts"
)

// message is what the server has sent: a request, a notification or an
// answer.
type message struct {
	raw     []byte
	isBatch bool
	id      json.RawMessage // as it came; nil for none, and for null
	method  string
	params  json.RawMessage
	result  json.RawMessage
	failure *prompts.Error
}

// readMessage reads a message, strictly.
func readMessage(raw []byte) (*message, error) {
	m := &message{raw: raw}
	if err := checkJSON(raw); err != nil {
		return nil, err
	}
	if bytes.TrimLeft(raw, " \t\r\n")[0] == '[' {
		m.isBatch = true
		return m, nil
	}
	o := newObject("JRP-01", "it", raw)
	if version := o.mustText("jsonrpc"); o.err == nil && version != "2.0" {
		o.reject("has a member %q that is not %q", "jsonrpc", "2.0")
	}
	_, hasID := o.members["id"]
	if m.id = o.take("id"); isNull(m.id) {
		m.id = nil
	} else if m.id[0] != '"' && json.Unmarshal(m.id, new(int64)) != nil {
		o.breaks("JRP-02", "has an id that is neither a string nor an integer")
	}
	if o.read("method", "a string", &m.method) {
		switch m.params = o.take("params"); {
		case hasID && m.id == nil:
			o.breaks("JRP-03", "is a request with the id null")
		case hasID && strings.HasPrefix(m.method, "notifications/"):
			o.breaks("JRP-17", "is a notification with an id")
		case m.params != nil && m.params[0] != '{':
			o.breaks("JRP-31", "has params that are not a JSON object")
		}
		return m, o.end()
	}
	failure := o.take("error")
	switch m.result = o.take("result"); {
	case (m.result == nil) == (failure == nil):
		o.breaks("JRP-07", "has neither a method nor one of result and error")
	case failure != nil:
		var err error
		m.failure, err = readError(failure)
		o.keep(err)
	case m.result[0] != '{':
		o.breaks("JRP-08", "has a result that is not a JSON object")
	case m.id == nil:
		o.breaks("JRP-06", "has a result and no id")
	}
	return m, o.end()
}

// readError reads the error of a response. Its data is what encoding/json
// makes of it.
func readError(raw json.RawMessage) (*prompts.Error, error) {
	o := newObject("JRP-11", "its error", raw)
	e := new(prompts.Error)
	o.must("code", "an integer", &e.Code)
	e.Message = o.mustText("message")
	if data := o.take("data"); data != nil {
		o.keep(json.Unmarshal(data, &e.Data))
	}
	return e, o.end()
}
