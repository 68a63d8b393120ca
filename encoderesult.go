package prompts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/wire"
)

func (e *encoder) result(r *Result) {
	if r == nil {
		e.errorf("render function returned neither a result nor an error")
		return
	}
	e.raw("{")
	if e.rev.Stateless() {
		e.raw(wire.CompleteResult)
	}
	if e.spend(len(r.Description)) {
		e.opt("description", r.Description)
	}
	e.key("messages")
	e.raw("[")
	at := len(e.buf)
	e.inMessages = true
	for i := range r.Messages {
		if i > 0 {
			e.raw(",")
		}
		e.message = i
		e.appendMessage(&r.Messages[i])
	}
	e.inMessages = false
	if e.joins && len(r.Messages) > 1 && len(e.errs) == 0 {
		e.join(at, r.Messages)
	}
	e.raw("]")
	e.end(r.Meta)
	e.raw("}")
}

// join replaces the messages, which are checked and begin at a position, by one message
// with their texts. It is shorter than they are.
func (e *encoder) join(at int, messages []Message) {
	hasRoles := slices.ContainsFunc(messages, func(m Message) bool { return m.Role != messages[0].Role })
	var text strings.Builder
	for i, m := range messages {
		if i > 0 {
			text.WriteString("\n\n")
		}
		if hasRoles {
			text.WriteString(map[Role]string{RoleUser: "User:\n", RoleAssistant: "Assistant:\n"}[m.Role])
		}
		text.WriteString(e.texts[i])
	}
	e.buf, e.joins = e.buf[:at], false
	e.raw("{")
	e.str("role", string(RoleUser))
	e.key("content")
	e.raw("{")
	e.appendText(&Text{Text: text.String()}) // which was counted
	e.raw("}}")
}

func (e *encoder) end(m Meta) {
	hasVersion := e.served != served{} && e.rev.Titles()
	if hasVersion || e.rev.Stateless() || len(m) > 0 {
		e.resultMeta(m, hasVersion)
	}
	if e.dropped > 0 {
		e.errs = append(e.errs, fmt.Errorf("and %d more", e.dropped))
	}
}

func (e *encoder) resultMeta(m Meta, hasVersion bool) {
	e.key("_meta")
	e.raw("{")
	if e.rev.Stateless() {
		e.buf = append(e.buf, e.serverInfo...)
	}
	if hasVersion {
		e.appendServed(e.served, m)
	}
	e.metaMembers(m)
	e.raw("}")
}

func (e *encoder) appendMessage(m *Message) {
	if err := checkRole(m.Role); err != nil {
		e.errorf("%w", err)
	}
	role := m.Role
	if e.joins { // the host may drop a message of the assistant
		role = RoleUser
	}
	e.raw("{")
	e.str("role", string(role))
	e.key("content")
	e.raw("{")
	e.content(m.Content)
	e.raw("}}")
}

// appendServed appends members of a result's _meta. A member that the application has set
// is left to the application, which may pass on the result of another server.
func (e *encoder) appendServed(v served, m Meta) {
	if v.digest != "" && !has(m, digestKey) {
		e.str(digestKey, v.digest)
	}
	if v.release != nil && len(v.release.members) > 0 && !has(m, releaseKey) && !has(m, labelKey) {
		if e.buf[len(e.buf)-1] != '{' {
			e.raw(",")
		}
		e.buf = append(e.buf, v.release.members...)
	}
}

func has(m Meta, key string) bool {
	_, ok := m[key]
	return ok
}
