package speccheck

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// own contains the methods that the library answers itself. The results of other
// methods come from the application and may have any members.
var own = map[string]bool{
	"initialize": true, "ping": true, "logging/setLevel": true,
	"server/discover": true, "subscriptions/listen": true,
	"prompts/list": true, "prompts/get": true, "completion/complete": true,
}

// checkCall judges the form of a request or a notification.
func (s *schema) checkCall(m *message) error {
	envelope, kind := "JSONRPCNotification", "Notification"
	if m.has("id") {
		envelope, kind = "JSONRPCRequest", "Request"
	}
	if err := s.check(form{envelope, true}, m.members); err != nil {
		return err
	}
	definition, known := s.methods[m.method]
	if !known {
		if kind == "Request" {
			return fmt.Errorf("%s: a server does not ask for %s", s.revision, m.method)
		}
		return nil
	}
	if !strings.HasSuffix(definition, kind) {
		return fmt.Errorf("%s %s: it is a %s", s.revision, definition, strings.ToLower(kind))
	}
	if !s.sends[m.method] {
		return fmt.Errorf("%s %s: a server does not send it", s.revision, definition)
	}
	return s.check(form{definition, true}, m.members)
}

var errNoMessage = errors.New("it is neither a request, nor a notification, nor a response")

// checkResponse judges the response to a request, which is nil if it is not
// known.
func (s *schema) checkResponse(m *message, q *request) error {
	switch {
	case m.has("result") && m.has("error"):
		return errors.New("it has both a result and an error")
	case m.has("error"):
		return s.checkError(m)
	case !m.has("result"):
		return errNoMessage
	case q == nil:
		return errors.New("it is the result of nothing that was asked")
	}
	if err := s.check(form{s.either("JSONRPCResultResponse", "JSONRPCResponse"), true}, m.members); err != nil {
		return err
	}
	if err := s.checkResult(m.object("result"), q); err != nil {
		return err
	}
	return s.check(form{s.result(m, q.method), own[q.method]}, m.members["result"])
}

// result returns the definition for a result of a method.
func (s *schema) result(m *message, method string) string {
	if s.revision == stateless && m.object("result")["resultType"] == "input_required" {
		return "InputRequiredResult"
	}
	return s.resultOf(method)
}

// anyResult is what any result is, such as that of ping, or of a method that the
// schema does not know.
const anyResult = "EmptyResult"

// resultOf returns the definition for the results of a method.
func (s *schema) resultOf(method string) string {
	if definition := strings.TrimSuffix(s.methods[method], "Request") + "Result"; definition != "Result" && s.has(definition) {
		return definition
	}
	return anyResult
}

func (s *schema) checkError(m *message) error {
	definition := s.either("JSONRPCErrorResponse", "JSONRPCError")
	if err := s.check(form{definition, true}, m.members); err != nil {
		return err
	}
	code := int(number(m.object("error")["code"]))
	if special, ok := s.errors[code]; ok {
		return s.check(form{special, false}, m.members)
	}
	if s.revision == stateless {
		switch {
		case code == -32002 || code == -32042:
			return fmt.Errorf("%s: the code %d is retired (JRP-24)", s.revision, code)
		case code <= -32020 && code >= -32099:
			return fmt.Errorf("%s: the code %d is reserved (JRP-23)", s.revision, code)
		}
	}
	return nil
}

// checkResult judges the server's result beyond its form.
func (s *schema) checkResult(result map[string]any, q *request) error {
	if s.revision != stateless {
		return s.checkSessionResult(result, q)
	}
	if q.method == "initialize" || q.method == "ping" {
		return fmt.Errorf("%s: there is no %s (CPT-10)", s.revision, q.method)
	}
	if result["resultType"] == "input_required" {
		if own[q.method] && q.method != "prompts/get" {
			return fmt.Errorf("%s: %s does not ask for input (MRT-03)", s.revision, q.method)
		}
		return s.checkInputs(result, q.capabilities)
	}
	if own[q.method] && result["resultType"] != "complete" {
		return fmt.Errorf("%s: %v is not a resultType of %s (JRP-10)", s.revision, result["resultType"], q.method)
	}
	return nil
}

// checkSessionResult returns an error if a result of a version with sessions contains
// members of 2026-07-28 (GAP-45).
func (s *schema) checkSessionResult(result map[string]any, q *request) error {
	if q.method == "server/discover" || q.method == "subscriptions/listen" {
		return fmt.Errorf("%s: there is no %s (CPT-10)", s.revision, q.method)
	}
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := result[name]; ok {
			return fmt.Errorf("%s: a result has no %s (GAP-45)", s.revision, name)
		}
	}
	meta, _ := result["_meta"].(map[string]any)
	if _, ok := meta[serverInfoKey]; ok {
		return fmt.Errorf("%s: a result's _meta has no %s (GAP-45)", s.revision, serverInfoKey)
	}
	if capabilities, _ := result["capabilities"].(map[string]any); q.method == "initialize" && s.revision == handshake[0] {
		if _, ok := capabilities["completions"]; ok {
			return fmt.Errorf("%s: there is no capability completions (LIF-09)", s.revision)
		}
	}
	return nil
}

// inputs has the definitions of what a server may ask the client for, by
// method.
var inputs = map[string]string{
	"elicitation/create":     "ElicitRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"roots/list":             "ListRootsRequest",
}

// checkInputs judges what a result asks the client for. The capabilities are
// the client's.
func (s *schema) checkInputs(result, capabilities map[string]any) error {
	requests, asks := result["inputRequests"]
	if _, ok := result["requestState"]; !ok && !asks {
		return errors.New("it has neither inputRequests nor requestState (MRT-05)")
	}
	byName, _ := requests.(map[string]any) // the schema says the rest
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := s.checkInputRequest(byName[name], capabilities); err != nil {
			return fmt.Errorf("the input request %q: %w", name, err)
		}
	}
	return nil
}

func (s *schema) checkInputRequest(v any, capabilities map[string]any) error {
	request, _ := v.(map[string]any)
	method, _ := request["method"].(string)
	definition, ok := inputs[method]
	if !ok {
		return fmt.Errorf("%q is not a method to ask a client for input (MRT-06)", method)
	}
	for _, name := range slices.Sorted(maps.Keys(request)) {
		if name != "method" && name != "params" {
			return fmt.Errorf("it has a %s (MRT-06)", name)
		}
	}
	if err := s.check(form{definition, true}, request); err != nil {
		return err
	}
	params, _ := request["params"].(map[string]any)
	return s.checkInput(capabilities, method, params)
}

// checkInput judges whether a client of these capabilities may be asked
// (LIF-20, MRT-07 to MRT-09).
func (s *schema) checkInput(capabilities map[string]any, method string, params map[string]any) error {
	feature, _, _ := strings.Cut(method, "/")
	if inputs[method] == "" {
		return nil // such as ping, which takes none
	}
	declared, ok := capabilities[feature].(map[string]any)
	if !ok {
		return fmt.Errorf("the client has not declared %s (MRT-07)", feature)
	}
	has := func(part string) bool { return declared[part] != nil }
	// Before 2025-11-25 the capability has no parts.
	switch parted := s.has("ElicitRequestURLParams"); {
	case !parted:
		return nil
	case feature == "elicitation" && params["mode"] == "url" && !has("url"):
		return errors.New("the client has not declared elicitation by URL (MRT-08)")
	case feature == "elicitation" && params["mode"] != "url" && !has("form") && has("url"):
		return errors.New("the client has not declared elicitation by form (MRT-08)")
	case feature == "sampling" && !has("tools") && (params["tools"] != nil || params["toolChoice"] != nil):
		return errors.New("the client has not declared sampling with tools (MRT-09)")
	}
	return nil
}
