// Package wire reads and writes JSON-RPC messages as the protocol defines them.
// It keeps no state, and knows methods only by the shape of their params.
//
// [Parse] and [Message.Read] make a [Message] from the bytes of a transport.
// Package rpc acts on the message. [ErrorResponse] and the Append functions write
// responses, notifications and requests. metadata.go reads the protocol version and
// the capabilities in the metadata of a 2026-07-28 request.
package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/transport"
)

// maxShared is the size in bytes of a message up to which the application gets
// substrings of the message instead of copies.
const maxShared = 16 << 10

// MaxIDBytes is the maximum size of a JSON-RPC id and of a progress token, as written.
const MaxIDBytes = 256

// Message is one incoming message, taken apart but for its params.
type Message struct {
	Kind   Kind
	ID     string // as written, for the response; empty if missing or unusable, see [Message.Read]
	Key    ID     // to compare by
	Method string
	Params strictjson.Value // Invalid if absent
	Meta   strictjson.Value // params._meta; likewise

	// The members of a response; Invalid if absent.
	Result, Err strictjson.Value

	// Large says that nothing that the application may keep must be a substring
	// of the message, which would keep the whole message in memory.
	Large bool
}

// Kind says how a message is answered.
type Kind uint8

// The kinds of message. A notification and a response never have a response,
// whatever is wrong with them.
const (
	KindInvalid Kind = iota
	KindRequest
	KindNotification
	KindResponse
)

// ID is a decoded request id: "a" and "\u0061" are the same ID, 1 and "1" are
// not. The ID of a string begins with a quote.
type ID string

func idOf(v strictjson.Value) ID {
	if raw := v.Raw(); strings.IndexByte(raw, '\\') < 0 {
		return ID(raw[:len(raw)-1])
	}
	return ID(`"` + v.Text())
}

// String returns the ID as a client would write it.
func (id ID) String() string {
	if text, ok := id.Text(); ok {
		return string(strictjson.AppendString(nil, text))
	}
	return string(id)
}

func (id ID) Text() (text string, isString bool) { return strings.CutPrefix(string(id), `"`) }

// Own returns a part of the message in a form that the application may keep.
func (m *Message) Own(part string) string {
	if m.Large {
		return strings.Clone(part)
	}
	return part
}

// IsLarge reports whether the application must get copies of what is in a message of n bytes.
func IsLarge(n int) bool { return n > maxShared }

// Parse parses a message. If src is JSON but breaks a rule of package
// strictjson, Parse returns both the value and the error.
func Parse(doc *strictjson.Doc, src string) (strictjson.Value, *transport.Error) {
	err := doc.Parse(src, jsonenc.MaxDepth)
	if broken, ok := err.(*strictjson.RuleError); ok {
		return doc.Root(), InvalidRequest("%s", broken.Error())
	}
	if err != nil {
		return strictjson.Value{}, &transport.Error{Code: transport.CodeParseError, Message: err.Error() + found(src, err)}
	}
	return doc.Root(), nil
}

// found says which character a text has in place of what JSON expects.
func found(src string, err error) string {
	e, ok := err.(*strictjson.SyntaxError)
	if !ok || e.Offset >= len(src) {
		return ""
	}
	switch e.Reason {
	case strictjson.ExpectedValue, strictjson.ExpectedKey, strictjson.ExpectedColon, strictjson.ExpectedComma, strictjson.TrailingData:
		if c, _ := utf8.DecodeRuneInString(src[e.Offset:]); c != utf8.RuneError {
			return fmt.Sprintf(", got %q", c)
		}
	}
	return ""
}

// Read reads a message into m, which must be zero. If Read returns an error, m has
// at least its kind. Whatever the error, m has the id if exactly one member has the name
// "id", and if the id is a text or an integer of at most MaxIDBytes. Every error response
// takes the id from here, so that the client can match the response.
func (m *Message) Read(message strictjson.Value) *transport.Error {
	if message.Kind() != strictjson.Object {
		return InvalidRequest("message must be a JSON object, got %s", message.Kind())
	}
	r := reader{m: m}
	var version strictjson.Value
	var isResponse, hasMethod, isMethod, isMisspelled bool // isMisspelled: "ID" or similar exists
	ids := 0
	for name, v := range message.Members() {
		switch name {
		case "jsonrpc":
			version = v
		case "id":
			ids++
			r.readID(v)
		case "method":
			hasMethod = true
			if v.Kind() != strictjson.String {
				r.fail("method must be a string, got %s", v.Kind())
				continue
			}
			m.Method, isMethod = v.Text(), true
		case "params":
			m.SetParams(v)
		case "result":
			m.Result, isResponse = v, true
		case "error":
			m.Err, isResponse = v, true
		default:
			if known := InOtherCase(name, "jsonrpc", "id", "method", "params", "result", "error"); known != "" {
				r.fail("unknown member %q: member names are case-sensitive, use %q", phrase.Clip(name, phrase.MaxEcho), known)
				isMisspelled = isMisspelled || known == "id"
			}
		}
	}
	if ids > 1 {
		m.ID, m.Key = "", "" // it is not known which of them is meant
	}
	switch {
	case version.Kind() == strictjson.Invalid:
		r.fail(`jsonrpc is required and must be "2.0"`)
	case version.Kind() != strictjson.String || version.Text() != "2.0":
		r.fail(`jsonrpc must be "2.0", got %s`, phrase.Clip(version.Raw(), 64))
	}
	switch {
	case isResponse && !hasMethod:
		m.Kind = KindResponse
	case isMethod && ids == 0 && !isMisspelled:
		m.Kind = KindNotification
	case isMethod && m.ID != "":
		m.Kind = KindRequest
	case !hasMethod:
		r.fail("message has no method, result or error")
	}
	if hasMethod && isResponse {
		r.fail("message has both a method and a result or error")
	}
	if isMethod && m.Method == "" {
		r.fail("method must not be empty")
	}
	return r.err
}

// reader reads the members of a message. It continues after an error, to find the
// message's kind and id.
type reader struct {
	m   *Message
	err *transport.Error // the first one
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = InvalidRequest(format, args...)
	}
}

// SetParams sets the params and their _meta.
func (m *Message) SetParams(v strictjson.Value) { m.Params, m.Meta = v, v.Get("_meta") }

func (r *reader) readID(v strictjson.Value) {
	switch {
	case len(v.Raw()) > MaxIDBytes && (v.Kind() == strictjson.String || v.Kind() == strictjson.Number):
		r.fail("id exceeds the limit of %d bytes", MaxIDBytes)
	case v.IsUnpaired():
		r.fail("id has an unpaired surrogate escape")
	case v.Kind() == strictjson.String:
		r.m.ID, r.m.Key = v.Raw(), idOf(v)
	case v.IsInteger():
		r.m.ID, r.m.Key = v.Raw(), ID(v.Raw())
		if r.m.ID == "-0" {
			r.m.Key = "0"
		}
	default:
		r.fail("id must be a string or an integer, got %s", v.Kind())
	}
}

// ReadID returns the ID that v is, and reports whether it is one.
func ReadID(v strictjson.Value) (ID, bool) {
	r := reader{m: new(Message)}
	r.readID(v)
	return r.m.Key, r.err == nil
}

// InOtherCase returns the known name that name equals in another case, by the
// folding that encoding/json uses, or the empty string.
func InOtherCase(name string, known ...string) string {
	if slices.Contains(known, name) {
		return ""
	}
	for _, k := range known {
		if strings.EqualFold(name, k) {
			return k
		}
	}
	return ""
}

// CheckCase rejects a known member of params in the wrong case. A proxy that
// folds case would have taken it for the member.
func CheckCase(params strictjson.Value, known ...string) *transport.Error {
	for name := range params.Members() {
		if k := InOtherCase(name, known...); k != "" {
			return InvalidParam(k, "unknown member %q of params: member names are case-sensitive, use %q", phrase.Clip(name, phrase.MaxEcho), k)
		}
	}
	return nil
}

func (m *Message) CheckParams() *transport.Error {
	switch m.Params.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return InvalidParams("params must be an object, got %s", m.Params.Kind())
	}
	// A proxy that folds case would have found the metadata in it.
	if err := CheckCase(m.Params, "_meta"); err != nil {
		return err
	}
	if m.Meta.Kind() <= strictjson.Null { // or absent
		return nil
	}
	return m.checkMeta()
}

func (m *Message) checkMeta() *transport.Error {
	if m.Meta.Kind() != strictjson.Object {
		return WrongKind("_meta", "params._meta", "an object", m.Meta)
	}
	switch t := m.Meta.Get("progressToken"); {
	case t.Kind() <= strictjson.Null: // or absent
	case t.Kind() != strictjson.String && !t.IsInteger():
		return WrongKind("_meta", "params._meta.progressToken", "a string or an integer", t)
	case len(t.Raw()) > MaxIDBytes:
		return InvalidParam("_meta", "params._meta.progressToken exceeds the limit of %d bytes", MaxIDBytes)
	}
	return nil
}

// ProgressToken returns the progress token as written; empty if the client wants no progress.
func (m *Message) ProgressToken() string {
	t := m.Meta.Get("progressToken")
	if t.Kind() == strictjson.Null {
		return ""
	}
	if m.Large {
		return strings.Clone(t.Raw())
	}
	return t.Raw()
}

// Detach replaces the id by a copy, which does not keep the message in memory.
func (m *Message) Detach() {
	id := strings.Clone(m.ID)
	if strings.HasPrefix(id, string(m.Key)) { // else the key was decoded, into memory of its own
		m.Key = ID(id[:len(m.Key)])
	}
	m.ID = id
}

// Name returns the member of params that HTTP repeats in a header, if it is a string.
func (m *Message) Name() (name string, ok bool) {
	v := m.Params.Get("name")
	if m.Method == "resources/read" { // which the application may serve
		v = m.Params.Get("uri")
	}
	return v.Text(), v.Kind() == strictjson.String
}
