package prompttest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts"
)

// serverInfoKey is a member of _meta that says who the server is. It is the
// envelope's and not the prompt's, so that a result is the same in all
// revisions.
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// newResult reads what all results have.
func (r protocol) newResult(name string, raw json.RawMessage) (*object, prompts.Meta) {
	o := newObject(name, raw)
	meta := o.meta()
	delete(meta, serverInfoKey)
	if len(meta) == 0 {
		meta = nil
	}
	if r.Stateless() {
		if kind := o.mustText("resultType"); o.err == nil && kind != "complete" {
			o.fault("has the resultType %q", kind)
		}
	}
	return o, meta
}

// cacheable reads what results have that a client may keep.
func (r protocol) cacheable(o *object) {
	if !r.Stateless() {
		return
	}
	var ttl uint64
	o.must("ttlMs", "an integer from 0", &ttl)
	if scope := o.mustText("cacheScope"); o.err == nil && scope != "public" && scope != "private" {
		o.fault("has the cacheScope %q", scope)
	}
}

// readPrompt reads the result of prompts/get.
func (r protocol) readPrompt(raw json.RawMessage) (*prompts.Result, error) {
	o, meta := r.newResult("the result", raw)
	result := &prompts.Result{Description: o.text("description"), Meta: meta}
	messages, ok := o.list("messages")
	if !ok {
		o.fault("has no messages")
	}
	for i, raw := range messages {
		m, err := r.readTurn(fmt.Sprintf("message %d", i+1), raw)
		o.keep(err)
		result.Messages = append(result.Messages, m)
	}
	return result, o.end()
}

func (r protocol) readTurn(name string, raw json.RawMessage) (prompts.Message, error) {
	o := newObject(name, raw)
	role := prompts.Role(o.mustText("role"))
	if o.err == nil && role != prompts.RoleUser && role != prompts.RoleAssistant {
		o.fault("has the role %q", role)
	}
	content, err := r.readContent(name, o.take("content"))
	o.keep(err)
	return prompts.Message{Role: role, Content: content}, o.end()
}

func (r protocol) readContent(name string, raw json.RawMessage) (prompts.Content, error) {
	o := newObject("the content of "+name, raw)
	kind := o.mustText("type")
	annotations := r.annotations(o)
	var meta prompts.Meta
	if r.Titles() {
		meta = o.meta()
	}
	var content prompts.Content
	switch {
	case kind == "text":
		content = prompts.Text{Text: o.mustText("text"), Annotations: annotations, Meta: meta}
	case kind == "image":
		content = prompts.Image{Data: o.mustData("data"), MIMEType: o.mustText("mimeType"), Annotations: annotations, Meta: meta}
	case kind == "audio" && r.Audio():
		content = prompts.Audio{Data: o.mustData("data"), MIMEType: o.mustText("mimeType"), Annotations: annotations, Meta: meta}
	case kind == "resource":
		resource, err := r.readResource(name, o.take("resource"))
		o.keep(err)
		resource.Annotations, resource.Meta = annotations, meta
		content = resource
	case kind == "resource_link" && r.ResourceLink():
		link := prompts.ResourceLink{
			URI: o.mustText("uri"), Name: o.mustText("name"), Title: o.text("title"), Description: o.text("description"),
			MIMEType: o.text("mimeType"), Icons: r.icon(o), Annotations: annotations, Meta: meta,
		}
		o.read("size", "an integer", &link.Size)
		content = link
	default:
		o.fault("has the type %q, which revision %s has not", kind, r.String())
	}
	return content, o.end()
}

func (r protocol) readResource(name string, raw json.RawMessage) (prompts.EmbeddedResource, error) {
	o := newObject("the resource of "+name, raw)
	e := prompts.EmbeddedResource{URI: o.mustText("uri"), MIMEType: o.text("mimeType")}
	if r.Titles() {
		e.ResourceMeta = o.meta()
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
	a := newObject("the annotations", raw)
	annotations := new(prompts.Annotations)
	a.read("audience", "an array of roles", &annotations.Audience)
	a.read("priority", "a number", &annotations.Priority)
	if r.Titles() {
		if text := a.text("lastModified"); text != "" {
			var err error
			annotations.LastModified, err = time.Parse(time.RFC3339, text)
			a.keep(err)
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
		i := newObject("an icon", raw)
		icon := prompts.Icon{Src: i.mustText("src"), MIMEType: i.text("mimeType"), Theme: i.text("theme")}
		i.read("sizes", "an array of strings", &icon.Sizes)
		o.keep(i.end())
		icons = append(icons, icon)
	}
	return icons
}

// readList reads the result of prompts/list.
func (r protocol) readList(raw json.RawMessage) (page []prompts.Prompt, next *string, err error) {
	o, _ := r.newResult("the result", raw)
	r.cacheable(o)
	all, ok := o.list("prompts")
	if !ok {
		o.fault("has no prompts")
	}
	for _, raw := range all {
		p, err := r.readEntry(raw)
		o.keep(err)
		page = append(page, p)
	}
	o.read("nextCursor", "a string", &next)
	return page, next, o.end()
}

func (r protocol) readEntry(raw json.RawMessage) (prompts.Prompt, error) {
	o := newObject("a prompt of the list", raw)
	p := prompts.Prompt{Name: o.mustText("name"), Description: o.text("description"), Icons: r.icon(o)}
	o.name = fmt.Sprintf("the prompt %q of the list", p.Name)
	if r.Titles() {
		p.Title, p.Meta = o.text("title"), o.meta()
	}
	arguments, _ := o.list("arguments")
	for _, raw := range arguments {
		a := newObject("an argument of the prompt "+p.Name, raw)
		argument := prompts.Argument{Name: a.mustText("name"), Description: a.text("description")}
		if r.Titles() {
			argument.Title = a.text("title")
		}
		a.read("required", "a boolean", &argument.Required)
		o.keep(a.end())
		p.Arguments = append(p.Arguments, argument)
	}
	return p, o.end()
}

// readCompletion reads the result of completion/complete.
func (r protocol) readCompletion(raw json.RawMessage) ([]string, error) {
	o, _ := r.newResult("the result", raw)
	c := newObject("the completion", o.take("completion"))
	var values []string
	var total uint64
	var more bool
	c.must("values", "an array of strings", &values)
	c.read("total", "an integer from 0", &total)
	c.read("hasMore", "a boolean", &more)
	if len(values) > 100 {
		c.fault("has %d values, and may have 100", len(values))
	}
	o.keep(c.end())
	return values, o.end()
}
