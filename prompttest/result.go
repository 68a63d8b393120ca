package prompttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/syntax"
)

// serverInfoKey is a member of _meta that says who the server is. It is the envelope's and not the
// prompt's, so that a result is the same in all revisions.
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

func (r protocol) newResult(rule string, raw json.RawMessage) (*object, prompts.Meta) {
	o := newObject(rule, "result", raw)
	var infos struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &infos) // meta reports the errors
	if info, ok := infos.Meta[serverInfoKey]; ok && r.Stateless() {
		checkServerInfo(o, "DSC-22", info)
	}
	meta := r.meta(o)
	delete(meta, serverInfoKey)
	if len(meta) == 0 {
		meta = nil
	}
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if !r.Stateless() && o.take(name) != nil && r.note != nil {
			r.note("the server sends the member %q of a later protocol version, which clients ignore (GAP-45)", name)
		}
	}
	if r.Stateless() {
		switch kind := o.text("resultType"); kind {
		case "complete":
		case "":
			o.breaks("JRP-09", "must have a resultType")
		default:
			o.breaks("JRP-10", "must have the resultType %q, got %q", "complete", kind)
		}
	}
	return o, meta
}

func (r protocol) cacheable(o *object) (scope string) {
	if !r.Stateless() {
		return ""
	}
	var ttl uint64
	if !o.read("ttlMs", "an integer from 0", &ttl) {
		o.breaks("CCH-02", "must have a ttlMs")
	}
	if scope = o.text("cacheScope"); scope != "public" && scope != "private" {
		o.breaks("CCH-03", "must have the cacheScope public or private, got %q", scope)
	}
	return scope
}

func (r protocol) meta(o *object) (m map[string]any) {
	o.read("_meta", "an object", &m)
	for key := range m {
		if err := syntax.CheckMetaKey(key); err != nil && r.Titles() && key != serverInfoKey {
			o.breaks("MET-01", "has the invalid key %q in _meta: %v", key, err)
		}
	}
	return m
}

func (r protocol) readPrompt(raw json.RawMessage) (*prompts.Result, error) {
	o, meta := r.newResult("PRG-07", raw)
	result := &prompts.Result{Description: o.text("description"), Meta: meta}
	messages, ok := o.list("messages")
	if !ok {
		o.reject("must have messages")
	}
	for i, raw := range messages {
		m, err := r.readTurn(fmt.Sprintf("message %d", i+1), raw)
		o.keep(err)
		result.Messages = append(result.Messages, m)
	}
	return result, o.end()
}

func (r protocol) readTurn(name string, raw json.RawMessage) (prompts.Message, error) {
	o := newObject("PRG-08", name, raw)
	role := prompts.Role(o.mustText("role"))
	if o.err == nil && role != prompts.RoleUser && role != prompts.RoleAssistant {
		o.reject("must have the role user or assistant, got %q", role)
	}
	content, err := r.readContent(name, o.take("content"))
	o.keep(err)
	return prompts.Message{Role: role, Content: content}, o.end()
}

// contentRules are what says which members a type of content has.
var contentRules = map[string]string{
	"text": "CNT-01", "image": "CNT-02", "audio": "CNT-03", "resource": "CNT-04", "resource_link": "CNT-06",
}

func (r protocol) readContent(name string, raw json.RawMessage) (prompts.Content, error) {
	o := newObject("PRG-08", "content of "+name, raw)
	kind := o.mustText("type")
	if rule, ok := contentRules[kind]; ok {
		o.rule = rule
	}
	annotations := r.annotations(o)
	var meta prompts.Meta
	if r.Titles() {
		meta = r.meta(o)
	}
	var content prompts.Content
	switch {
	case kind == "text":
		content = &prompts.Text{Text: o.mustText("text"), Annotations: annotations, Meta: meta}
	case kind == "image":
		content = &prompts.Image{Data: o.mustData("data"), MIMEType: o.check("mimeType", o.mustText("mimeType"), syntax.CheckMIMEType), Annotations: annotations, Meta: meta}
	case kind == "audio" && r.Audio():
		content = &prompts.Audio{Data: o.mustData("data"), MIMEType: o.check("mimeType", o.mustText("mimeType"), syntax.CheckMIMEType), Annotations: annotations, Meta: meta}
	case kind == "resource":
		resource, err := r.readResource(name, o.take("resource"))
		o.keep(err)
		resource.Annotations, resource.Meta = annotations, meta
		content = resource
	case kind == "resource_link" && r.ResourceLink():
		link := &prompts.ResourceLink{
			URI: o.check("uri", o.mustText("uri"), syntax.CheckURI), Name: o.mustText("name"), Title: o.text("title"), Description: o.text("description"),
			MIMEType: o.text("mimeType"), Icons: r.icon(o), Annotations: annotations, Meta: meta,
		}
		o.read("size", "an integer", &link.Size)
		content = link
	default:
		o.breaks("CNT-07, CNT-08", "has the type %q, which protocol version %s does not have", kind, r.String())
	}
	return content, o.end()
}

func (r protocol) readResource(name string, raw json.RawMessage) (*prompts.EmbeddedResource, error) {
	o := newObject("CNT-04", "resource of "+name, raw)
	e := &prompts.EmbeddedResource{URI: o.check("uri", o.mustText("uri"), syntax.CheckURI), MIMEType: o.text("mimeType")}
	if r.Titles() {
		e.ResourceMeta = r.meta(o)
	}
	if _, ok := o.members["blob"]; ok {
		e.Blob = append([]byte{}, o.mustData("blob")...) // not nil, which says that it is a blob
	} else {
		e.Text = o.mustText("text")
	}
	return e, o.end()
}

func (r protocol) annotations(o *object) *prompts.Annotations {
	raw := o.take("annotations")
	if raw == nil {
		return nil
	}
	a := newObject("CNT-09", "annotations", raw)
	annotations := new(prompts.Annotations)
	a.read("audience", "an array of roles", &annotations.Audience)
	for _, role := range annotations.Audience {
		if role != prompts.RoleUser && role != prompts.RoleAssistant {
			a.reject("must have an audience of user or assistant, got %q", role)
		}
	}
	if a.read("priority", "a number", &annotations.Priority); annotations.Priority != nil && (*annotations.Priority < 0 || *annotations.Priority > 1) {
		a.reject("must have a priority from 0 to 1, got %v", *annotations.Priority)
	}
	if r.Titles() {
		if text := a.text("lastModified"); text != "" {
			var err error
			if annotations.LastModified, err = time.Parse(time.RFC3339, text); err != nil {
				a.breaks("CNT-10", "must have a lastModified that is a time: %v", err)
			}
		}
	}
	o.keep(a.end())
	return annotations
}

func (r protocol) icon(o *object) []prompts.Icon {
	if !r.Icons() {
		return nil
	}
	all, _ := o.list("icons")
	var icons []prompts.Icon
	for _, raw := range all {
		i := newObject("CNT-14, CNT-15", "icon", raw)
		icon := prompts.Icon{Src: i.mustText("src"), MIMEType: i.text("mimeType"), Theme: i.text("theme")}
		i.read("sizes", "an array of strings", &icon.Sizes)
		for _, err := range syntax.CheckIcon(icon.Src, icon.MIMEType, icon.Sizes, icon.Theme, func(name, value string) string { return fmt.Sprintf("%s %q", name, value) }) {
			i.reject("is invalid: %v", err)
		}
		o.keep(i.end())
		icons = append(icons, icon)
	}
	return icons
}

func (r protocol) readList(raw json.RawMessage) (page []prompts.Prompt, next *string, scope string, err error) {
	o, _ := r.newResult("PRL-02, PAG-03", raw)
	scope = r.cacheable(o)
	all, ok := o.list("prompts")
	if !ok {
		o.reject("must have prompts")
	}
	for _, raw := range all {
		p, err := r.readEntry(raw)
		o.keep(err)
		page = append(page, p)
	}
	o.read("nextCursor", "a string", &next)
	return page, next, scope, o.end()
}

func (r protocol) readEntry(raw json.RawMessage) (prompts.Prompt, error) {
	o := newObject("PRL-06", "prompt of the list", raw)
	p := prompts.Prompt{Name: o.mustText("name"), Description: o.text("description"), Icons: r.icon(o)}
	o.name = fmt.Sprintf("prompt %q of the list", p.Name)
	if r.Titles() {
		p.Title, p.Meta = o.text("title"), r.meta(o)
	}
	arguments, _ := o.list("arguments")
	for _, raw := range arguments {
		a := newObject("PRL-09", fmt.Sprintf("argument of prompt %q", p.Name), raw)
		argument := prompts.Argument{Name: a.mustText("name"), Description: a.text("description")}
		if r.Titles() {
			argument.Title = a.text("title")
		}
		a.read("required", "a boolean", &argument.Required)
		if slices.ContainsFunc(p.Arguments, func(other prompts.Argument) bool { return other.Name == argument.Name }) {
			a.reject("has the name %q of another argument", argument.Name)
		}
		o.keep(a.end())
		p.Arguments = append(p.Arguments, argument)
	}
	return p, o.end()
}

func (r protocol) readCompletion(raw json.RawMessage) ([]string, error) {
	o, _ := r.newResult("CMP-05, CMP-06", raw)
	c := newObject("CMP-05, CMP-06", "completion", o.take("completion"))
	var values []string
	var total *uint64
	var more *bool
	c.must("values", "an array of strings", &values)
	for i, value := range values {
		if slices.Contains(values[:i], value) {
			c.reject("must have each value once, got %q again", value)
			break
		}
	}
	if len(values) > revision.MaxCompletions {
		c.reject("must have at most %d values, got %d", revision.MaxCompletions, len(values))
	}
	if c.read("total", "an integer from 0", &total); total != nil && *total < uint64(len(values)) {
		c.breaks("CMP-06", "must have a total of at least %d, the number of values, got %d", len(values), *total)
	}
	if c.read("hasMore", "a boolean", &more); more != nil && total != nil && *more != (*total > uint64(len(values))) {
		c.breaks("CMP-06", "must have a hasMore that agrees with the total %d and the %d values, got %v", *total, len(values), *more)
	}
	o.keep(c.end())
	return values, o.end()
}

func checkServerInfo(o *object, rule string, raw json.RawMessage) {
	info := newObject(rule, "serverInfo", raw)
	info.mustText("name")
	info.mustText("version")
	o.keep(info.err)
}

func readCapabilities(o *object) {
	var all map[string]map[string]any
	o.must("capabilities", "an object of objects", &all)
	o.text("instructions")
}
