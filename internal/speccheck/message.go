package speccheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// message is one JSON-RPC message of a session.
type message struct {
	members map[string]any
	method  string // empty for a response
	id      string // its JSON text; empty if there is none
}

func parse(text []byte) (*message, error) {
	m := new(message)
	if err := json.Unmarshal(text, &m.members); err != nil {
		return nil, err
	}
	if m.members == nil {
		return nil, errors.New("it is null")
	}
	// The text of the id, because that is what a response has to repeat.
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	m.id = string(raw["id"])
	m.method, _ = m.members["method"].(string)
	return m, nil
}

func (m *message) has(member string) bool {
	_, ok := m.members[member]
	return ok
}

// isStateless reports whether the message belongs to the revision without a
// handshake: a request that names its own version, or a notification that
// names its subscription.
func (m *message) isStateless() bool {
	params, _ := m.members["params"].(map[string]any)
	meta, _ := params["_meta"].(map[string]any)
	_, enveloped := meta["io.modelcontextprotocol/protocolVersion"]
	_, subscribed := meta["io.modelcontextprotocol/subscriptionId"]
	return enveloped || subscribed
}

// agreed returns the version in the result of initialize.
func (m *message) agreed() (string, bool) {
	result, _ := m.members["result"].(map[string]any)
	version, ok := result["protocolVersion"].(string)
	return version, ok
}

// checkCall judges a request or a notification.
func (s *schema) checkCall(m *message) error {
	envelope, kind := "JSONRPCNotification", "Notification"
	if m.has("id") {
		envelope, kind = "JSONRPCRequest", "Request"
	}
	if err := s.check(envelope, m.members); err != nil {
		return err
	}
	definition, known := s.methods[m.method]
	if !known {
		return nil
	}
	if !strings.HasSuffix(definition, kind) {
		return fmt.Errorf("%s %s: it is a %s", s.revision, definition, strings.ToLower(kind))
	}
	return s.check(definition, m.members)
}

// checkResponse judges the response to a request of method, which is empty if
// the request is not known.
func (s *schema) checkResponse(m *message, method string) error {
	switch {
	case m.has("result") && m.has("error"):
		return errors.New("it has both a result and an error")
	case m.has("error"):
		return s.checkError(m)
	case !m.has("result"):
		return errors.New("it is neither a request, nor a notification, nor a response")
	case method == "":
		return errors.New("it is the result of nothing that was asked")
	}
	if err := s.check(s.either("JSONRPCResultResponse", "JSONRPCResponse"), m.members); err != nil {
		return err
	}
	if definition := s.result(m, method); s.has(definition) {
		return s.check(definition, m.members["result"])
	}
	return nil
}

func (s *schema) checkError(m *message) error {
	definition := s.either("JSONRPCErrorResponse", "JSONRPCError")
	if err := s.check(definition, m.members); err != nil {
		return err
	}
	e, _ := m.members["error"].(map[string]any)
	code, _ := e["code"].(float64)
	if special, ok := s.errors[int(code)]; ok {
		return s.check(special, m.members)
	}
	return nil
}

// result returns the definition for the result of a method.
func (s *schema) result(m *message, method string) string {
	result, _ := m.members["result"].(map[string]any)
	if result["resultType"] == "input_required" {
		return "InputRequiredResult"
	}
	if definition := strings.TrimSuffix(s.methods[method], "Request") + "Result"; s.has(definition) {
		return definition
	}
	return "EmptyResult" // such as that of ping
}
