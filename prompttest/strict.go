package prompttest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// checkJSON rejects what is not one JSON value in UTF-8, and an object with a
// member twice, at any depth: encoding/json would take the last one.
func checkJSON(data []byte) error {
	var doc strictjson.Doc
	if err := doc.Parse(string(data), 0); err != nil {
		return fmt.Errorf("%w (JRP-01, RFC 8259)", err)
	}
	return nil
}

// object reads a JSON object member by member, and keeps the first error. A member
// that no call has taken is an error, because it would be lost silently.
type object struct {
	rule    string // the requirement that says what it has: an id of docs/ledger.md
	name    string // what the object is, for errors
	members map[string]json.RawMessage
	err     error
}

func newObject(rule, name string, raw json.RawMessage) *object {
	o := &object{rule: rule, name: name}
	if isNull(raw) || json.Unmarshal(raw, &o.members) != nil {
		o.reject("must be a JSON object")
	}
	return o
}

// reject notes an error against the object's own rule.
func (o *object) reject(format string, args ...any) { o.breaks(o.rule, format, args...) }

func (o *object) breaks(rule, format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("%s %s (%s)", o.name, fmt.Sprintf(format, args...), rule)
	}
}

func (o *object) keep(err error) {
	if o.err == nil {
		o.err = err
	}
}

// take returns a member, or nil if the member is missing.
func (o *object) take(name string) json.RawMessage {
	raw := o.members[name]
	delete(o.members, name)
	return raw
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// read reads a member into what to points to, and reports whether there is one.
func (o *object) read(name, kind string, to any) bool {
	raw := o.take(name)
	if raw == nil {
		return false
	}
	if isNull(raw) || json.Unmarshal(raw, to) != nil {
		o.reject("must have a member %q that is %s", name, kind)
	}
	return true
}

func (o *object) must(name, kind string, to any) {
	if !o.read(name, kind, to) {
		o.reject("must have a member %q", name)
	}
}

func (o *object) text(name string) (s string) {
	o.read(name, "a string", &s)
	return s
}

func (o *object) mustText(name string) (s string) {
	o.must(name, "a string", &s)
	return s
}

func (o *object) list(name string) (all []json.RawMessage, ok bool) {
	ok = o.read(name, "an array", &all)
	return all, ok
}

func (o *object) mustData(name string) []byte {
	text := o.mustText(name)
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // which the decoder skips
		o.reject("must have a member %q that is base64", name)
	}
	return data
}

func (o *object) check(name, value string, check func(string) error) string {
	if o.err == nil && check(value) != nil {
		o.reject("has an invalid member %q: %v", name, check(value))
	}
	return value
}

func (o *object) end() error {
	if len(o.members) > 0 {
		names := slices.Sorted(maps.Keys(o.members))
		o.reject("has members that do not exist in the protocol version: %s", strings.Join(names, ", "))
	}
	return o.err
}
