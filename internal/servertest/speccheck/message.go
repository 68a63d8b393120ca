package speccheck

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Keys of _meta.
const (
	envelopeKey     = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	serverInfoKey   = "io.modelcontextprotocol/serverInfo"
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"
)

// message is one JSON-RPC message.
type message struct {
	root    strictjson.Value
	members map[string]any
	method  string // empty for a response
	id      string // its JSON text; empty if the id is missing
	ids     int    // members that are the id
	similar int    // members that would be the id in another case
}

// parse reads a message. One with a duplicate key or with any number of levels is
// one, too.
func parse(text string) (*message, error) {
	var doc strictjson.Doc
	var rule *strictjson.RuleError
	if err := doc.Parse(text, 0); err != nil && !errors.As(err, &rule) {
		return nil, err
	}
	m := &message{root: doc.Root(), id: doc.Root().Get("id").Raw(), method: doc.Root().Get("method").Text()}
	if m.members, _ = valueOf(m.root).(map[string]any); m.members == nil {
		return nil, errors.New("it is not a JSON object")
	}
	for name := range m.root.Members() {
		if name == "id" {
			m.ids++
		} else if strings.EqualFold(name, "id") {
			m.similar++
		}
	}
	return m, nil
}

// valueOf returns a value for jsonschema. A number is an int64 or a float64, and
// if it is too large for that, the largest one.
func valueOf(v strictjson.Value) any {
	switch v.Kind() {
	case strictjson.Object:
		all := map[string]any{}
		for name, member := range v.Members() {
			all[name] = valueOf(member)
		}
		return all
	case strictjson.Array:
		all := []any{}
		for element := range v.Elements() {
			all = append(all, valueOf(element))
		}
		return all
	case strictjson.Number:
		if n, err := strconv.ParseInt(v.Raw(), 10, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(v.Raw(), 64) // infinite if it is too large
		return max(-math.MaxFloat64, min(math.MaxFloat64, f))
	case strictjson.String:
		return v.Text()
	case strictjson.Bool:
		return v.Raw() == "true"
	}
	return nil
}

// number returns what valueOf has made of a number.
func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

func (m *message) has(member string) bool {
	_, ok := m.members[member]
	return ok
}

// object returns the object at a path into the message, or nil if it is missing.
func (m *message) object(path ...string) map[string]any {
	v := m.members
	for _, name := range path {
		v, _ = v[name].(map[string]any)
	}
	return v
}

// at returns what is at a path into the message.
func (m *message) at(path ...string) strictjson.Value {
	v := m.root
	for _, name := range path {
		v = v.Get(name)
	}
	return v
}

// key returns a form of a JSON string or number that is the same only for equal values:
// a string as Go would write it, and a number as its source, because a peer that repeats
// a number has no reason to change its form. For any other value, or a missing value,
// key returns the empty string.
func key(v strictjson.Value) string {
	switch v.Kind() {
	case strictjson.String:
		return strconv.Quote(v.Text())
	case strictjson.Number:
		return v.Raw()
	}
	return ""
}

// hasID reports whether a message has an id that a request may have: a string, or a
// number in the form of an integer, so that a peer that repeats the id need not know
// that 1.0 equals 1.
func (m *message) hasID() bool {
	switch m.members["id"].(type) {
	case string:
		return true
	case int64, float64:
		return !strings.ContainsAny(m.id, ".eE")
	}
	return false
}

// isIllegible reports whether a message that is no response must be answered without
// an id: the id is missing or invalid, there are several ids, or the name of the only one
// has another case.
func (m *message) isIllegible() bool {
	switch m.ids {
	case 0:
		_, isCall := m.members["method"].(string)
		return !isCall || m.similar > 0 // else a notification
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
	return key(m.at("params", "_meta", subscriptionKey)), true
}
