package prompts

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file has the encoder, which writes JSON of one protocol version and checks each value, and
// how it writes results. encodecontent.go has content and definition.go the entries of a list.

// encoder appends declarations and results of the application to a message, in the form of one
// revision. It leaves out members that the revision does not know, and collects an error for
// each invalid value. If there is an error, the message must not be sent.
type encoder struct {
	buf  []byte
	rev  revision.Revision
	errs []error
	// isResult says that the JSON is a result. fallback and serverInfo are for results.
	isResult   bool
	ctx        context.Context // of fallback
	fallback   func(ctx context.Context, f Fallback) Content
	serverInfo []byte
	served     served
	secrets    *redact.Secrets // that no link may contain
	// The kinds of content that become text, because the protocol version or the host
	// of the client has no place for them: onlyTexts are all kinds.
	lacksAudio, lacksLinks, onlyTexts bool
	// joins is for a host that reads one message, or only those of the user: texts are those of
	// all messages, which become one message.
	joins bool
	texts []string
	// expandsTexts is for a host that reads texts as command files of its own.
	expandsTexts bool
	// isInner reports whether other content of a tool's result follows. joinsTexts is for a
	// host that joins all texts, those of resources, too.
	isInner, joinsTexts bool
	// dropped counts the errors of a result beyond maxResultErrors.
	dropped int
	// inMessages reports whether an error is in a message, and message is its index.
	inMessages bool
	message    int
	// room is the number of bytes of content that the result may still have, plus 1.
	// It is 0 without a limit.
	room int
}

// maxResultErrors is the maximum number of errors reported for one result. Messages
// are often made in a loop, and a log should not get the same line 100,000 times.
const maxResultErrors = 16

func (e *encoder) errorf(format string, args ...any) {
	if e.isResult && len(e.errs) >= maxResultErrors {
		e.dropped++
		return
	}
	err := fmt.Errorf(format, args...)
	if e.inMessages {
		err = fmt.Errorf("message %d: %w", e.message+1, err)
	}
	e.errs = append(e.errs, err)
}

// quoteName returns the subject of an error message: the name of a member and its value. In a
// result, the value is left out: it may be the value of an argument, which must not reach the log.
func (e *encoder) quoteName(name, value string) string {
	if e.isResult {
		return name
	}
	return name + " " + strconv.Quote(phrase.Clip(value, 128))
}

func (e *encoder) key(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) str(name, value string) {
	e.key(name)
	var ok bool
	if e.buf, ok = strictjson.AppendValidString(e.buf, value); !ok {
		e.raw(`""`)
		e.errorf("%s is not valid UTF-8", name)
	}
}

func (e *encoder) opt(name, value string) {
	if value != "" {
		e.str(name, value)
	}
}

func (e *encoder) base64(name string, data []byte) {
	e.key(name)
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, data)
	e.buf = append(e.buf, '"')
}

func (e *encoder) uri(name, value string) {
	e.str(name, value)
	if err := syntax.CheckURI(value); err != nil {
		e.errorf("%s: %w", e.quoteName(name, value), err)
	}
	e.checkLink(value)
}

func (e *encoder) checkLink(uri string) {
	if err := e.secrets.CheckURI(uri); err != nil {
		e.errorf("%w", err)
	}
}

func (e *encoder) mimeType(value string) {
	e.str("mimeType", value)
	if value == "" {
		e.errorf("MIME type is missing; set MIMEType")
	} else if err := syntax.CheckMIMEType(value); err != nil {
		e.errorf("%s: %w", e.quoteName("MIME type", value), err)
	}
}

func (e *encoder) metaFromTitles(m Meta) {
	if e.rev.Titles() && len(m) > 0 {
		e.key("_meta")
		e.raw("{")
		e.metaMembers(m)
		e.raw("}")
	}
}

func (e *encoder) metaMembers(m Meta) {
	if len(m) == 0 {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if err := syntax.CheckMetaKey(k); err != nil {
			e.errorf("%s: %w", e.quoteName("_meta key", k), err)
			continue
		}
		e.key(k) // a checked key needs no escapes
		at := len(e.buf)
		var err error
		if e.buf, err = jsonenc.Append(e.buf, m[k]); err != nil {
			e.errorf("%s: %w", e.quoteName("_meta", k), err)
		}
		e.spend(len(e.buf) - at)
	}
}

// spend reports whether the result may have n more bytes of content, and adds an error if not.
func (e *encoder) spend(n int) bool {
	if e.room == 0 { // no limit
		return true
	}
	if n >= e.room {
		e.errorf("result exceeds Options.Limits.MaxResultBytes")
		return false
	}
	e.room -= n
	return true
}

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
