package prompts

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// message is one incoming JSON-RPC message, taken apart but for its params.
type message struct {
	class  class
	id     string    // as it was written, for the answer; empty if there is none or it cannot be used
	key    requestID // the id to compare by
	method string
	params strictjson.Value // Invalid if absent
	meta   strictjson.Value // of the params; likewise
	// What a response holds; Invalid if absent.
	result, failure strictjson.Value
	// large says that what an author may keep must not be a part of the
	// message, which it would keep alive as a whole.
	large bool
}

// maxShared is the size in bytes of a message up to which authors get parts
// of it rather than copies.
const maxShared = 16 << 10

type class uint8

const (
	unclear      class = iota // no message of the protocol
	request                   // to be answered
	notification              // never to be answered, whatever is wrong with it
	response                  // likewise
)

// requestID is an id, decoded: "a" and "\u0061" are one id, 1 and "1" two. That
// of a string begins with a quote.
type requestID string

// idOf returns the id that a string is.
func idOf(v strictjson.Value) requestID {
	if raw := v.Raw(); strings.IndexByte(raw, '\\') < 0 {
		return requestID(raw[:len(raw)-1])
	}
	return requestID(`"` + v.Text())
}

// text returns the text of an id that is a string.
func (id requestID) text() (text string, isString bool) { return strings.CutPrefix(string(id), `"`) }

// parseMessage parses what a transport has read. A text that is JSON but breaks
// our rules has both a value and an error: what is wrong with it is the first
// thing to be said about it.
func parseMessage(doc *strictjson.Doc, src string) (strictjson.Value, *Error) {
	err := doc.Parse(src, maxDepth)
	if broken, ok := err.(*strictjson.RuleError); ok {
		return doc.Root(), invalidRequest("%s", broken.Error())
	}
	if err != nil {
		return strictjson.Value{}, &Error{Code: CodeParseError, Message: "parse error: " + err.Error()}
	}
	return doc.Root(), nil
}

// read takes a message apart, into one that is empty. If there is something
// wrong with it, the message has at least its class, and its id if that can be
// told.
func (m *message) read(v strictjson.Value) *Error {
	if v.Kind() != strictjson.Object {
		return invalidRequest("a message must be an object")
	}
	r := envelopeReader{m: m}
	r.read(v)
	return r.fault
}

func invalidRequest(format string, args ...any) *Error {
	e := invalidParams(format, args...)
	e.Code = CodeInvalidRequest
	return e
}

type envelopeReader struct {
	m     *message
	fault *Error
}

func (r *envelopeReader) refuse(format string, args ...any) {
	if r.fault == nil {
		r.fault = invalidRequest(format, args...)
	}
}

func (r *envelopeReader) read(root strictjson.Value) {
	var version, answer, named, isMethod bool
	ids := 0 // members that are the id, or would be in another case
	for name, v := range root.Members() {
		switch name {
		case "jsonrpc":
			version = v.Kind() == strictjson.String && v.Text() == "2.0"
		case "id":
			ids++
			r.readID(v)
		case "method":
			named = true
			if v.Kind() != strictjson.String {
				r.refuse("method must be a string")
				continue
			}
			r.m.method, isMethod = v.Text(), true
		case "params":
			r.m.setParams(v)
		case "result":
			r.m.result, answer = v, true
		case "error":
			r.m.failure, answer = v, true
		default:
			if known := inOtherCase(name, "jsonrpc", "id", "method", "params", "result", "error"); known != "" {
				r.refuse("%q must be written %q", clip(name, maxEcho), known)
				if known == "id" {
					ids++
				}
			}
		}
	}
	if ids > 1 {
		r.m.id = "" // which of them?
	}
	if !version {
		r.refuse(`jsonrpc must be "2.0"`)
	}
	switch {
	case answer && !named:
		r.m.class = response
	case isMethod && ids == 0:
		r.m.class = notification
	case isMethod && r.m.id != "":
		r.m.class = request
	case !named:
		r.refuse("a message must have a method, a result or an error")
	}
	if named && answer {
		r.refuse("a message cannot have both a method and a result or an error")
	}
	if isMethod && r.m.method == "" {
		r.refuse("method must not be empty")
	}
}

func (m *message) setParams(v strictjson.Value) { m.params, m.meta = v, v.Get("_meta") }

func (r *envelopeReader) readID(v strictjson.Value) {
	switch {
	case v.Kind() == strictjson.String:
		r.m.id, r.m.key = v.Raw(), idOf(v)
	case v.IsInteger():
		r.m.id, r.m.key = v.Raw(), requestID(v.Raw())
		if r.m.id == "-0" {
			r.m.key = "0"
		}
	default:
		r.refuse("id must be a string or an integer")
	}
}

// inOtherCase returns the one of the known names that name would be in
// another case, by the folding that encoding/json uses.
func inOtherCase(name string, known ...string) string {
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

// paramData is the data of an error about one member of params.
type paramData struct {
	Param string `json:"param"`
}

func invalidParam(name, format string, args ...any) *Error {
	e := invalidParams(format, args...)
	e.Data = paramData{name}
	return e
}

// about makes the error one about a member of params that has what is wrong
// inside of it.
func (e *Error) about(param string) *Error {
	e.Message = strings.Replace(e.Message, "params", param, 1)
	e.Data = paramData{param}
	return e
}

// checkCase refuses a known member of params in the wrong case: a reader that
// folds case, in front of this one, would have taken it for the member.
func checkCase(params strictjson.Value, known ...string) *Error {
	for name := range params.Members() {
		if k := inOtherCase(name, known...); k != "" {
			return invalidParam(k, "params: %q must be written %q", clip(name, maxEcho), k)
		}
	}
	return nil
}

// checkParams refuses params that no method takes.
func (m *message) checkParams() *Error {
	switch m.params.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return invalidParams("params must be an object")
	}
	// A reader in front that folds case would have found an envelope there.
	if err := checkCase(m.params, "_meta"); err != nil {
		return err
	}
	switch m.meta.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return invalidParam("_meta", "_meta must be an object")
	}
	switch t := m.meta.Get("progressToken"); t.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.String:
		return nil
	default:
		if t.IsInteger() {
			return nil
		}
		return invalidParam("_meta", "_meta.progressToken must be a string or an integer")
	}
}

// progressToken returns the token of the request's progress as it was written,
// empty if the client wants none.
func (m *message) progressToken() string {
	t := m.meta.Get("progressToken")
	if t.Kind() == strictjson.Null {
		return ""
	}
	if m.large {
		return strings.Clone(t.Raw())
	}
	return t.Raw()
}

// detach makes what identifies the message no part of it, which would be kept
// alive as a whole.
func (m *message) detach() {
	m.id, m.key = strings.Clone(m.id), requestID(strings.Clone(string(m.key)))
}

// name returns the member of params that HTTP repeats in a header, if it is a
// string.
func (m *message) name() string {
	if m.method == "resources/read" { // which an author may serve
		return m.params.Get("uri").Text()
	}
	return m.params.Get("name").Text()
}
