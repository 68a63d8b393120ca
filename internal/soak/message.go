package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	modern  = "2026-07-28"
	batched = "2025-03-26"

	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
	methodListen   = "subscriptions/listen"
)

// versions are the revisions of the protocol.
var versions = []string{"2024-11-05", batched, "2025-06-18", "2025-11-25", modern}

// message is what a server sends.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// isAnswer reports whether the message answers one of the client.
func (m *message) isAnswer() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// readAll returns the message or the messages in a text.
func readAll(msg []byte) (all []message, isBatch bool, err error) {
	if strings.HasPrefix(string(msg), "[") {
		err := json.Unmarshal(msg, &all)
		return all, true, err
	}
	var m message
	err = json.Unmarshal(msg, &m)
	return []message{m}, false, err
}

// object is a JSON object that a client sends.
type object map[string]any

// encode encodes what a client sends.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // of this package's own
		panic(err)
	}
	return b
}

// envelope adds to params what a stateless request carries.
func envelope(params object, canAnswer bool) object {
	capabilities := object{}
	if canAnswer {
		capabilities["elicitation"] = object{}
	}
	meta, _ := params["_meta"].(object)
	if meta == nil {
		meta = object{}
	}
	meta["io.modelcontextprotocol/protocolVersion"] = modern
	meta["io.modelcontextprotocol/clientCapabilities"] = capabilities
	if params == nil {
		params = object{}
	}
	params["_meta"] = meta
	return params
}

// requestText is a request; the id is JSON.
func requestText(id, method string, params object) []byte {
	m := object{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method}
	if params != nil {
		m["params"] = params
	}
	return encode(m)
}

func notificationText(method string, params object) []byte {
	m := object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	return encode(m)
}

func initializeParams(version string) object {
	return object{"protocolVersion": version, "capabilities": object{"elicitation": object{}}, "clientInfo": object{"name": "soak", "version": "1"}}
}

func refTo(name, argument, value string) object {
	return object{"ref": object{"type": "ref/prompt", "name": name}, "argument": object{"name": argument, "value": value}}
}
