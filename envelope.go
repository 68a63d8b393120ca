package prompts

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// The members of params._meta that are the envelope of a stateless request.
const (
	// envelopeKey makes a message one of the stateless era (GAP-01).
	envelopeKey     = "io.modelcontextprotocol/protocolVersion"
	capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
	clientInfoKey   = "io.modelcontextprotocol/clientInfo"
	logLevelKey     = "io.modelcontextprotocol/logLevel"
)

// envelopeVersion returns the protocol version in the message's own envelope.
// It is Invalid for a message of the handshake era.
func (m *message) envelopeVersion() strictjson.Value {
	return m.meta.Get(envelopeKey)
}

// isStateless reports whether the message carries its own envelope.
func (m *message) isStateless() bool { return m.envelopeVersion().Kind() != strictjson.Invalid }

// checkEnvelope refuses optional members of the envelope that are not what
// the protocol says. What they say changes nothing (DSC-13, GAP-41).
func (m *message) checkEnvelope() *Error {
	switch info := m.meta.Get(clientInfoKey); info.Kind() {
	case strictjson.Invalid, strictjson.Null:
	default:
		if !isImplementation(info) {
			return invalidParam("_meta", "_meta: %q must be an object with name and version", clientInfoKey)
		}
	}
	switch level := m.meta.Get(logLevelKey); level.Kind() {
	case strictjson.Invalid, strictjson.Null:
	default:
		if level.Kind() != strictjson.String || !slices.Contains(logLevels, level.Text()) {
			return invalidParam("_meta", "_meta: %q must be a level of the protocol", logLevelKey)
		}
	}
	return nil
}

// logLevels are those of LOG-03, lowest first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// clientInfo returns what the client says that it is.
func (c *call) clientInfo() Implementation {
	if c.rev.Stateless() {
		return readClientInfo(c.message.meta.Get(clientInfoKey))
	}
	if c.session == nil {
		text := func(s string) string { return strings.ToValidUTF8(clip(s, maxEcho), "\ufffd") }
		return Implementation{Name: text(c.info.Name), Version: text(c.info.Version), Title: text(c.info.Title)}
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.info
}

// readClientInfo returns of a description of a client what is kept.
func readClientInfo(v strictjson.Value) Implementation {
	text := func(name string) string { return strings.Clone(clip(v.Get(name).Text(), maxEcho)) }
	return Implementation{Name: text("name"), Version: text("version"), Title: text("title")}
}

// isImplementation reports whether v describes a client or a server.
func isImplementation(v strictjson.Value) bool {
	return v.Get("name").Kind() == strictjson.String && v.Get("version").Kind() == strictjson.String
}

// unsupportedVersion is the answer to an envelope with a protocol version
// that is not served statelessly (DSC-07, GAP-05, GAP-06).
func unsupportedVersion(requested string) *Error {
	supported := versions()
	if _, ok := revision.Parse(requested); ok {
		// It is served, but by handshake: to list it would only make the
		// client ask for the same again.
		supported = slices.DeleteFunc(supported, func(v string) bool {
			rev, _ := revision.Parse(v)
			return !rev.Stateless()
		})
	}
	return &Error{
		Code:    CodeUnsupportedVersion,
		Message: "unsupported protocol version",
		Data: struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}{supported, clip(requested, maxEcho)},
	}
}

// versions returns the protocol versions that are served, newest first.
func versions() []string {
	var all []string
	for _, rev := range revision.All() {
		all = append(all, rev.String())
	}
	return all
}
