package wire

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/transport"
)

// A 2026-07-28 request belongs to no session: it names its protocol version
// and the client's capabilities in params._meta. A message with that version
// in it is *stateless*, any other *stateful* (GAP-01).

// The members of _meta that the protocol defines.
const (
	VersionKey      = "io.modelcontextprotocol/protocolVersion"
	CapabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	// ServerInfoKey is in every result of 2026-07-28 (DSC-03, MET-09, GAP-48).
	ServerInfoKey = "io.modelcontextprotocol/serverInfo"
	// SubscriptionKey holds the id of the subscriptions/listen request that a message belongs to.
	SubscriptionKey = "io.modelcontextprotocol/subscriptionId"

	clientInfoKey = "io.modelcontextprotocol/clientInfo"
	logLevelKey   = "io.modelcontextprotocol/logLevel"
)

// Version returns the protocol version in the message's metadata. It is Invalid
// for a stateful message.
func (m *Message) Version() strictjson.Value { return m.Meta.Get(VersionKey) }

// IsStateless reports whether the message has the metadata of a 2026-07-28 request.
func (m *Message) IsStateless() bool { return m.Version().Kind() != strictjson.Invalid }

// CheckMetadata rejects optional members of the metadata that are not valid.
// The log level changes nothing else (GAP-41).
func (m *Message) CheckMetadata() *transport.Error {
	switch info := m.Meta.Get(clientInfoKey); info.Kind() {
	case strictjson.Invalid, strictjson.Null:
	default:
		if !IsClientInfo(info) {
			return InvalidParam("_meta", "params._meta[%q] must be an object with name and version", clientInfoKey)
		}
	}
	switch level := m.Meta.Get(logLevelKey); level.Kind() {
	case strictjson.Invalid, strictjson.Null:
	default:
		if level.Kind() != strictjson.String || !slices.Contains(logLevels, level.Text()) {
			return InvalidParam("_meta", "params._meta[%q] must be one of %s",
				logLevelKey, strings.Join(logLevels, ", "))
		}
	}
	return nil
}

// logLevels are those of LOG-03, lowest first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

type ClientInfo struct{ Name, Version, Title string }

func (m *Message) ClientInfo() ClientInfo { return ReadClientInfo(m.Meta.Get(clientInfoKey)) }

// ClientName returns the name of the client in the metadata, as a part of the message.
func (m *Message) ClientName() string { return m.Meta.Get(clientInfoKey).Get("name").Text() }

// ReadClientInfo returns copies of the members of a description, clipped.
func ReadClientInfo(v strictjson.Value) ClientInfo {
	text := func(name string) string { return strings.Clone(phrase.Clip(v.Get(name).Text(), phrase.MaxEcho)) }
	return ClientInfo{Name: text("name"), Version: text("version"), Title: text("title")}
}

func IsClientInfo(v strictjson.Value) bool {
	return v.Get("name").Kind() == strictjson.String && v.Get("version").Kind() == strictjson.String
}
