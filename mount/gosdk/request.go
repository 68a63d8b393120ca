package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
)

// request is a request of the SDK's in the terms of a prompts.Server's Call.
type request struct {
	sdk          mcp.Request
	session      *mcp.ServerSession // nil in a test without a session
	version      string
	capabilities json.RawMessage
	client       prompts.Implementation
	params       json.RawMessage
}

// newRequest describes a request whose params are the members. The SDK has read
// the params, so members that are unknown to the SDK are missing.
func (m *mount) newRequest(r mcp.Request, ss *mcp.ServerSession, meta mcp.Meta, members map[string]any) (request, error) {
	out := request{sdk: r, session: ss, version: m.state.version(ss, meta)}
	if len(meta) > 0 {
		members["_meta"] = meta
	}
	var err error
	if out.params, err = json.Marshal(members); err != nil {
		return out, err
	}
	if out.version >= stateless {
		if c := meta[mcp.MetaKeyClientCapabilities]; c != nil {
			out.capabilities, err = json.Marshal(c)
		}
		return out, err
	}
	if ss == nil {
		return out, nil
	}
	if p := ss.InitializeParams(); p != nil {
		if p.ClientInfo != nil {
			out.client = prompts.Implementation{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version, Title: p.ClientInfo.Title}
		}
		out.capabilities, err = json.Marshal(declared(p.Capabilities))
	}
	return out, err
}

// declared returns what a client has declared in initialize. The SDK's own
// encoding of it always has roots (v1.8.0 mcp/protocol.go:477).
func declared(c *mcp.ClientCapabilities) map[string]any {
	out := map[string]any{}
	if c == nil {
		return out
	}
	if c.RootsV2 != nil {
		out["roots"] = c.RootsV2
	}
	if c.Sampling != nil {
		out["sampling"] = c.Sampling
	}
	if c.Elicitation != nil {
		out["elicitation"] = c.Elicitation
	}
	return out
}

// answers returns the answers of a client to what it was asked, in the form in
// which the SDK has read them.
func answers(all mcp.InputResponseMap) map[string]any {
	out := make(map[string]any, len(all))
	for key, a := range all {
		if e, ok := a.(*mcp.ElicitResult); ok {
			out[key] = elicited(e)
			continue
		}
		out[key] = a
	}
	return out
}

// elicited returns an answer to an elicitation. In the SDK's own encoding a form
// that was left empty is missing (v1.8.0 mcp/protocol.go:2190).
func elicited(e *mcp.ElicitResult) any {
	out := map[string]any{"action": e.Action}
	if e.Content != nil {
		out["content"] = e.Content
	}
	if len(e.Meta) > 0 {
		out["_meta"] = e.Meta
	}
	return out
}
