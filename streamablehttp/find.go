package streamablehttp

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/transport"
)

func (x *exchange) find(m transport.RequestInfo) (transport.Session, error) {
	version, hasVersion, err := singleHeader(x.request.Header, headerVersion)
	if err != nil {
		return x.reject(http.StatusBadRequest, err)
	}
	isInitialize := m.Method == "initialize" && m.Request
	switch {
	case isInitialize: // negotiates the version by its body (GAP-36)
	case !hasVersion || isStateful(version):
	case isStateless(version) && strings.HasPrefix(m.Method, "notifications/"):
		return nil, nil // notifications have no effect in 2026-07-28 (GAP-31)
	case isStateless(version):
		return x.reject(http.StatusBadRequest, notStateless(m, version))
	default:
		return x.reject(http.StatusBadRequest, &prompts.Error{Code: transport.CodeInvalidRequest, Message: fmt.Sprintf(
			"unsupported %s %s (supported: %s)", headerVersion, phrase.Quote(version), versionList(func(string) bool { return true }))})
	}
	if x.handler.options.DisableSessions {
		return x.detached(m, version), nil
	}
	id, hasID, err := singleHeader(x.request.Header, headerSession)
	switch {
	case err != nil:
		return x.reject(http.StatusBadRequest, err)
	case !hasID && isInitialize:
		return x.openSession()
	case !hasID:
		return x.reject(http.StatusBadRequest, &prompts.Error{
			Code: transport.CodeInvalidRequest, Message: "missing header " + headerSession + "; send initialize first",
		})
	}
	if x.session = x.handler.sessions.use(id, x.client.principal); x.session == nil {
		return x.reject(http.StatusNotFound, errNoSession)
	}
	return x.session.Session, nil
}

func (x *exchange) reject(status int, err error) (transport.Session, error) {
	x.refused = status
	return nil, err
}

// notStateless returns the error for a message without a version in _meta, if its
// header has a version without sessions. For an unknown version, the error is that of a
// message with this version in _meta (GAP-05).
func notStateless(m transport.RequestInfo, version string) error {
	if m.Method == "" {
		return &prompts.Error{Code: transport.CodeInvalidRequest, Message: "protocol version " + version + " supports neither batches nor client responses"}
	}
	if _, ok := revision.Parse(version); !ok {
		all := versionList(func(string) bool { return true })
		return &prompts.Error{
			Code:    transport.CodeUnsupportedVersion,
			Message: fmt.Sprintf("unsupported protocol version %s (supported: %s)", phrase.Quote(version), all),
			Data: struct {
				Supported []string `json:"supported"`
				Requested string   `json:"requested"`
			}{strings.Split(all, ", "), version},
		}
	}
	return &prompts.Error{Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("protocol version %s requires %q and %q in params._meta",
		version, "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities")}
}

func (x *exchange) openSession() (transport.Session, error) {
	id := newID()
	fresh := &session{
		Session: x.handler.server.NewSession(transport.SessionOptions{ID: id}), id: id,
		principal: x.client.principal, client: x.client.name, active: 1, sending: make(chan struct{}, 1),
	}
	o := &x.handler.options
	if !x.handler.sessions.add(fresh, o.MaxSessions, o.MaxSessionsPerClient) {
		fresh.Close()
		x.header.Set("Retry-After", "1")
		return x.reject(http.StatusServiceUnavailable, &prompts.Error{Code: prompts.CodeInternalError, Message: fmt.Sprintf(
			"too many open sessions (limit %d, per client %d); retry later", o.MaxSessions, o.MaxSessionsPerClient)})
	}
	x.session, x.isFresh = fresh, true
	return fresh.Session, nil
}

func (x *exchange) detached(m transport.RequestInfo, version string) transport.Session {
	o := transport.SessionOptions{NoServerMessages: true}
	if m.Method != "initialize" {
		o.Version = cmp.Or(version, "2025-03-26")
	}
	x.ephemeral = x.handler.server.NewSession(o)
	return x.ephemeral
}
