package prompts

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
)

// This file writes results and content as JSON of one protocol version, and checks
// each value. A result with an error is not sent.

// encoder appends declarations and results of the application to a message, in the
// form of one revision. It leaves out members that the revision does not know, and
// collects an error for each invalid value. If there is an error, the message must
// not be sent.
type encoder struct {
	buf  []byte
	rev  revision.Revision
	errs []error
	// isResult says that the JSON is a result. fallback and serverInfo are for results.
	isResult   bool
	fallback   func(c Content, version string) Content
	serverInfo []byte
	served     served
	secrets    *redact.Secrets // that no link may contain
	// The kinds of content that become text, because the protocol version or the host
	// of the client has no place for them: onlyTexts are all kinds.
	lacksAudio, lacksLinks, onlyTexts bool
	// joins is for a host that reads one message: texts are those of all messages, which
	// become one message.
	joins bool
	texts []string
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

// quoteName returns the subject of an error message: the name of a member and its
// value. In a result, the value is left out: it may be the value of an argument, which
// must not reach the log.
func (e *encoder) quoteName(name, value string) string {
	if e.isResult {
		return name
	}
	return name + " " + strconv.Quote(phrase.Clip(value, 128))
}

// key begins the member of an object.
func (e *encoder) key(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

// str appends a member that is a string.
func (e *encoder) str(name, value string) {
	e.key(name)
	var ok bool
	if e.buf, ok = strictjson.AppendValidString(e.buf, value); !ok {
		e.raw(`""`)
		e.errorf("%s is not valid UTF-8", name)
	}
}

// opt appends a member that is a string, unless it is empty.
func (e *encoder) opt(name, value string) {
	if value != "" {
		e.str(name, value)
	}
}

// base64 appends a member that is data in base64.
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

// checkLink reports a link with the value of a sensitive argument.
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

// result appends the result of prompts/get.
func (e *encoder) result(r *Result) {
	if r == nil {
		e.errorf("render function returned neither a result nor an error")
		return
	}
	e.raw("{")
	if e.rev.Stateless() {
		e.raw(`"resultType":"complete"`)
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
	role := messages[0].Role
	if hasRoles {
		role = RoleUser
	}
	e.buf, e.joins = e.buf[:at], false
	e.raw("{")
	e.str("role", string(role))
	e.key("content")
	e.raw("{")
	e.appendText(&Text{Text: text.String()}) // which was counted
	e.raw("}}")
}

// end appends the _meta of a result, and the number of errors that are left out.
func (e *encoder) end(m Meta) {
	switch {
	case e.served != served{} && e.rev.Titles():
		e.key("_meta")
		e.raw("{")
		if e.rev.Stateless() {
			e.buf = append(e.buf, e.serverInfo...)
		}
		e.appendServed(e.served, m)
		e.metaMembers(m)
		e.raw("}")
	case e.rev.Stateless():
		e.metaAfter(e.serverInfo, m)
	default:
		e.meta(m)
	}
	if e.dropped > 0 {
		e.errs = append(e.errs, fmt.Errorf("and %d more", e.dropped))
	}
}

func (e *encoder) appendMessage(m *Message) {
	if err := checkRole(m.Role); err != nil {
		e.errorf("%w", err)
	}
	e.raw("{")
	e.str("role", string(m.Role))
	e.key("content")
	e.raw("{")
	e.content(m.Content)
	e.raw("}}")
}

func (e *encoder) content(c Content) {
	c = e.forClient(c)
	if v := reflect.ValueOf(c); c == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		e.errorf("content is nil")
		return
	}
	switch c := c.(type) {
	case *Text:
		e.text(c)
	case *Image:
		e.image(c)
	case *Audio:
		e.audio(c)
	case *EmbeddedResource:
		e.embeddedResource(c)
	case *ResourceLink:
		e.resourceLink(c)
	default:
		// A type that embeds one of the types above implements Content, too.
		e.errorf("unsupported content type %T; use one of the types of package prompts", c)
	}
}

func (e *encoder) text(c *Text) {
	if e.spend(len(c.Text)) {
		e.appendText(c)
	}
}

func (e *encoder) appendText(c *Text) {
	if e.joins {
		e.texts = append(e.texts, c.Text)
	}
	e.raw(`"type":"text"`)
	e.str("text", c.Text)
	e.annotations(c.Annotations)
	e.metaFromTitles(c.Meta)
}

func (e *encoder) image(c *Image) {
	at := len(e.buf)
	e.media("image", c.Data, c.MIMEType, c.Annotations, c.Meta)
	if e.onlyTexts {
		e.replace(at, leftOut("image", c.MIMEType, len(c.Data)), c.Annotations)
	}
}

func (e *encoder) audio(c *Audio) {
	at := len(e.buf)
	e.media("audio", c.Data, c.MIMEType, c.Annotations, c.Meta)
	if e.lacksAudio {
		e.replace(at, leftOut("audio", c.MIMEType, len(c.Data)), c.Annotations)
	}
}

// replace replaces content, which is checked and begins at a position, by text.
func (e *encoder) replace(at int, text string, a *Annotations) {
	e.buf = e.buf[:at]
	e.appendText(&Text{Text: e.ended(text), Annotations: a})
}

// ended returns a text with a newline at its end if other content of a tool's result
// follows: some clients join the texts.
func (e *encoder) ended(text string) string {
	if e.isInner && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func (e *encoder) media(kind string, data []byte, mimeType string, a *Annotations, meta Meta) {
	if !e.spend(len(data)) {
		return
	}
	e.str("type", kind)
	e.base64("data", data)
	e.mimeType(mimeType)
	e.annotations(a)
	e.metaFromTitles(meta)
}

func (e *encoder) embeddedResource(c *EmbeddedResource) {
	mimeType := c.MIMEType
	switch {
	case mimeType == "" && c.Blob != nil:
		mimeType = defaultBlobType
	case mimeType == "":
		mimeType = "text/plain"
	}
	if !e.spend(len(c.Text) + len(c.Blob)) {
		return
	}
	at := len(e.buf)
	e.raw(`"type":"resource","resource":{`)
	e.uri("uri", c.URI)
	e.mimeType(mimeType)
	if c.Blob != nil {
		if c.Text != "" {
			e.errorf("resource has both Text and Blob; set one of the two")
		}
		e.base64("blob", c.Blob)
	} else {
		text := c.Text
		if e.joinsTexts {
			text = e.ended(text)
		}
		e.str("text", text)
	}
	e.metaFromTitles(c.ResourceMeta)
	e.raw("}")
	e.annotations(c.Annotations)
	e.metaFromTitles(c.Meta)
	if e.onlyTexts {
		e.replace(at, c.text(), c.Annotations)
	}
}

func (e *encoder) resourceLink(c *ResourceLink) {
	if !e.spend(len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description)) {
		return
	}
	at := len(e.buf)
	e.raw(`"type":"resource_link"`)
	e.uri("uri", c.URI)
	e.str("name", c.Name)
	if c.Name == "" {
		e.errorf("resource link has no Name")
	}
	e.opt("title", c.Title)
	e.opt("description", c.Description)
	if c.MIMEType != "" {
		e.mimeType(c.MIMEType)
	}
	if c.Size != nil {
		if *c.Size < 0 {
			e.errorf("size must not be negative, got %d", *c.Size)
		}
		e.key("size")
		e.buf = strconv.AppendInt(e.buf, *c.Size, 10)
	}
	e.icons(c.Icons)
	e.annotations(c.Annotations)
	e.metaFromTitles(c.Meta)
	if e.lacksLinks {
		e.replace(at, c.text(), c.Annotations)
	}
}

func (e *encoder) annotations(a *Annotations) {
	if a == nil {
		return
	}
	e.key("annotations")
	e.raw("{")
	if len(a.Audience) > 0 {
		e.key("audience")
		for i, role := range a.Audience {
			if checkRole(role) != nil {
				e.errorf("unknown audience; use %q or %q", RoleUser, RoleAssistant)
			}
			e.buf = append(e.buf, "[,"[min(i, 1)])
			e.buf = strictjson.AppendString(e.buf, string(role))
		}
		e.raw("]")
	}
	if a.Priority != nil {
		e.key("priority")
		if p := *a.Priority; p >= 0 && p <= 1 {
			e.buf = strconv.AppendFloat(e.buf, p, 'f', -1, 64)
		} else {
			e.errorf("priority must be from 0 to 1, got %v", p)
			e.raw("0")
		}
	}
	if !a.LastModified.IsZero() && e.rev.Titles() {
		t := a.LastModified.UTC() // the form that CNT-10 asks for
		if y := t.Year(); y < 0 || y > 9999 {
			e.errorf("lastModified: year %d is outside the range of RFC 3339 (0 to 9999)", y)
		}
		e.str("lastModified", t.Format(time.RFC3339))
	}
	e.raw("}")
}

func (e *encoder) icons(icons []Icon) {
	if len(icons) == 0 || !e.rev.Icons() {
		return
	}
	e.key("icons")
	for i, icon := range icons {
		for _, err := range syntax.CheckIcon(icon.Src, icon.MIMEType, icon.Sizes, icon.Theme, e.quoteName) {
			e.errorf("icon %d: %w", i+1, err)
		}
		e.buf = append(e.buf, "[,"[min(i, 1)], '{')
		e.str("src", icon.Src)
		e.checkLink(icon.Src)
		e.opt("mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			e.key("sizes")
			for j, size := range icon.Sizes {
				e.buf = append(e.buf, "[,"[min(j, 1)])
				e.buf = strictjson.AppendString(e.buf, size)
			}
			e.raw("]")
		}
		e.opt("theme", icon.Theme)
		e.raw("}")
	}
	e.raw("]")
}

// metaFromTitles appends _meta where only revisions with titles have it.
func (e *encoder) metaFromTitles(m Meta) {
	if e.rev.Titles() {
		e.meta(m)
	}
}

func (e *encoder) meta(m Meta) {
	if len(m) > 0 {
		e.metaAfter(nil, m)
	}
}

// metaAfter appends _meta with members of our own before the application's.
func (e *encoder) metaAfter(own []byte, m Meta) {
	e.key("_meta")
	e.raw("{")
	e.buf = append(e.buf, own...)
	e.metaMembers(m)
	e.raw("}")
}

// metaMembers appends the members of a _meta of the application.
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

// appendServed appends members of a result's _meta. A member that the application has set
// is left to the application, which may pass on the result of another server.
func (e *encoder) appendServed(v served, m Meta) {
	if v.digest != "" && !has(m, digestKey) {
		e.key(digestKey)
		e.raw(`"`)
		e.raw(v.digest)
		e.raw(`"`)
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

// spend reports whether the result may have n more bytes of content. If not, spend
// adds an error.
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
