package speccheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Keys of _meta.
const (
	envelopeKey     = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	logLevelKey     = "io.modelcontextprotocol/logLevel"
	serverInfoKey   = "io.modelcontextprotocol/serverInfo"
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"
)

// message is one JSON-RPC message.
type message struct {
	text    []byte
	members map[string]any
	method  string // empty for a response
	id      string // its JSON text; empty if there is none
	ids     int    // members that are the id, or would be in another case
}

func parse(text []byte) (*message, error) {
	v, err := decode(text)
	if err != nil {
		return nil, err
	}
	m := &message{text: text}
	if m.members, _ = v.(map[string]any); m.members == nil {
		return nil, errors.New("it is not a JSON object")
	}
	if m.has("id") {
		// The text of the id, because that is what a response has to repeat.
		m.id = string(m.raw("id"))
	}
	m.method, _ = m.members["method"].(string)
	m.ids, err = countIDs(text)
	return m, err
}

// countIDs returns how many members of a JSON object are the id, or would be
// in another case.
func countIDs(text []byte) (n int, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // which is of any size
	_, err = dec.Token()
	for err == nil && dec.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = dec.Token(); err == nil {
			err = dec.Decode(&value)
		}
		if name, _ := name.(string); strings.EqualFold(name, "id") {
			n++
		}
	}
	return n, err
}

// decode returns the value of a JSON text. A number is an int64 or a float64,
// and if it is too large for that, the largest one.
func decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more after the JSON value")
	}
	return numbered(v), nil
}

// numbered replaces the json.Numbers in a value, which jsonschema takes for
// strings.
func numbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = numbered(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbered(e)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // infinite if it is too large
		return max(-math.MaxFloat64, min(math.MaxFloat64, f))
	}
	return v
}

// number returns what decode has made of a number.
func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// wellFormed returns what a JSON text has that decode lets pass: text that is
// not UTF-8 (JRP-30), and a name twice in one object.
func wellFormed(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // which is of any size
	return unique(dec)
}

func unique(dec *json.Decoder) error {
	t, err := dec.Token()
	if err != nil || t != json.Delim('{') && t != json.Delim('[') {
		return err
	}
	names := map[string]bool{}
	for dec.More() {
		if t == json.Delim('{') {
			name, err := dec.Token()
			if err != nil {
				return err
			}
			if names[name.(string)] {
				return fmt.Errorf("it has the name %q twice in one object", name)
			}
			names[name.(string)] = true
		}
		if err := unique(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token() // the end of it
	return err
}

func (m *message) has(member string) bool {
	_, ok := m.members[member]
	return ok
}

// object returns the object at a path into the message; nil if there is none.
func (m *message) object(path ...string) map[string]any {
	v := m.members
	for _, name := range path {
		v, _ = v[name].(map[string]any)
	}
	return v
}

// raw returns the JSON text of what is at a path into the message; nil if
// there is nothing.
func (m *message) raw(path ...string) json.RawMessage {
	text := json.RawMessage(m.text)
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil {
			return nil
		}
		text = members[name]
	}
	return text
}

// key returns a JSON string or number in a form in which only equal ones are
// equal: a string as Go would write it, and a number as it is written, because
// whoever repeats it has no reason to write it otherwise. For any other value,
// or none, it is empty.
func key(text json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case json.Number:
		return v.String()
	}
	return ""
}

// hasID reports whether a message has an id that a request may have: a string,
// or an integer that is written as one, so that whoever repeats it need not
// know that 1.0 is the same.
func (m *message) hasID() bool {
	switch m.members["id"].(type) {
	case string:
		return true
	case int64, float64:
		return !strings.ContainsAny(m.id, ".eE")
	}
	return false
}

// isIllegible reports whether a message that is no response must be answered
// without an id: it has none that may be one, or more than one, or one in
// another case.
func (m *message) isIllegible() bool {
	switch m.ids {
	case 0:
		_, isCall := m.members["method"].(string)
		return !isCall // a notification
	case 1:
		return !m.hasID()
	}
	return true
}

// isEnveloped reports whether a request belongs to the revision without a
// handshake because it names its own version.
func (m *message) isEnveloped() bool {
	_, ok := m.object("params", "_meta")[envelopeKey]
	return ok
}

// subscription returns the key of the subscription that a notification names.
func (m *message) subscription() (id string, ok bool) {
	if _, ok := m.object("params", "_meta")[subscriptionKey]; !ok {
		return "", false
	}
	return key(m.raw("params", "_meta", subscriptionKey)), true
}

// isBatch reports whether a JSON text is an array.
func isBatch(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
}
