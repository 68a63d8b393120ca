package prompttest

import (
	"bytes"
	"encoding/json"
	"errors"

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
	o := newObject("it", raw)
	if version := o.mustText("jsonrpc"); o.err == nil && version != "2.0" {
		o.fault("has a member %q that is not %q", "jsonrpc", "2.0")
	}
	if m.id = o.take("id"); isNull(m.id) {
		m.id = nil
	} else {
		o.keep(checkID(m.id))
	}
	if o.read("method", "a string", &m.method) {
		m.params = o.take("params")
		return m, o.end()
	}
	failure := o.take("error")
	if m.result = o.take("result"); (m.result == nil) == (failure == nil) {
		o.fault("has neither a method nor one of result and error")
	}
	if failure != nil {
		var err error
		m.failure, err = readError(failure)
		o.keep(err)
	} else if m.id == nil {
		o.fault("has a result and no id")
	}
	return m, o.end()
}

func checkID(id json.RawMessage) error {
	var number int64
	if id[0] != '"' && json.Unmarshal(id, &number) != nil {
		return errors.New("it has an id that is neither a string nor an integer")
	}
	return nil
}

// readError reads the error of an answer. Its data is what encoding/json
// makes of it.
func readError(raw json.RawMessage) (*prompts.Error, error) {
	o := newObject("its error", raw)
	e := new(prompts.Error)
	o.must("code", "an integer", &e.Code)
	e.Message = o.mustText("message")
	if data := o.take("data"); data != nil {
		o.keep(json.Unmarshal(data, &e.Data))
	}
	return e, o.end()
}
