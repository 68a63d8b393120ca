// Package golden has the text form of the results of prompts, for golden files.
package golden

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts"
)

// Format returns the text form of a result. Different results have different text forms. The form
// has a head line for each message, and under the head line the message's text, unchanged and in
// whole lines. The head line names binary content by its length and hash.
func Format(r *prompts.Result) string {
	rule := ruleFor(r)
	var b strings.Builder
	if r.Description != "" {
		fmt.Fprintf(&b, "%s description\n%s\n", rule, r.Description)
	}
	if len(r.Meta) > 0 {
		fmt.Fprintf(&b, "%s meta %s\n", rule, JSON(r.Meta))
	}
	if len(r.Messages) == 0 {
		fmt.Fprintf(&b, "%s no messages\n", rule)
	}
	for _, m := range r.Messages {
		head, text, hasText := describe(m.Content)
		fmt.Fprintf(&b, "%s %s: %s\n", rule, m.Role, head)
		if hasText {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

func ruleFor(r *prompts.Result) string {
	rule := "==="
	texts := append(Texts(r), r.Description)
	for i := 0; i < len(texts); {
		if strings.HasPrefix(texts[i], rule+" ") || strings.Contains(texts[i], "\n"+rule+" ") {
			rule += "="
			i = 0
			continue
		}
		i++
	}
	return rule
}

func Texts(r *prompts.Result) []string {
	var texts []string
	for _, m := range r.Messages {
		if _, text, ok := describe(m.Content); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func describe(content prompts.Content) (head, text string, hasText bool) {
	var h heading
	var annotations *prompts.Annotations
	var meta prompts.Meta
	switch c := content.(type) {
	case *prompts.Text:
		annotations, meta = c.Annotations, c.Meta
		h.add("text")
		text, hasText = c.Text, true
	case *prompts.Image:
		annotations, meta = c.Annotations, c.Meta
		h.add("image " + c.MIMEType)
		h.data(c.Data)
	case *prompts.Audio:
		annotations, meta = c.Annotations, c.Meta
		h.add("audio " + c.MIMEType)
		h.data(c.Data)
	case *prompts.EmbeddedResource:
		annotations, meta = c.Annotations, c.Meta
		h.add("resource " + c.URI)
		h.add(c.MIMEType)
		if c.Blob != nil {
			h.data(c.Blob)
		} else {
			text, hasText = c.Text, true
		}
		h.meta("resource meta", c.ResourceMeta)
	case *prompts.ResourceLink:
		annotations, meta = c.Annotations, c.Meta
		h.add("resource link " + c.URI)
		h.quoted("name", c.Name)
		h.quoted("title", c.Title)
		h.quoted("description", c.Description)
		h.add(c.MIMEType)
		if c.Size != nil {
			h.add(fmt.Sprintf("%d bytes", *c.Size))
		}
		for _, icon := range c.Icons {
			h.add("icon " + JSON(icon))
		}
	default:
		h.add(fmt.Sprintf("%T", content))
	}
	h.annotations(annotations)
	h.meta("meta", meta)
	return strings.Join(h, ", "), text, hasText
}

type heading []string

func (h *heading) add(s string) {
	if s != "" {
		*h = append(*h, s)
	}
}

func (h *heading) quoted(what, s string) {
	if s != "" {
		h.add(what + " " + strconv.Quote(s))
	}
}

func (h *heading) data(data []byte) {
	h.add(fmt.Sprintf("%d bytes", len(data)))
	h.add(fmt.Sprintf("sha256 %x", sha256.Sum256(data)))
}

func (h *heading) meta(what string, m prompts.Meta) {
	if len(m) > 0 {
		h.add(what + " " + JSON(m))
	}
}

func (h *heading) annotations(a *prompts.Annotations) {
	if a == nil {
		return
	}
	h.add("annotations")
	for _, role := range a.Audience {
		h.add("for " + string(role))
	}
	if a.Priority != nil {
		h.add("priority " + strconv.FormatFloat(*a.Priority, 'g', -1, 64))
	}
	if !a.LastModified.IsZero() {
		h.add("modified " + a.LastModified.UTC().Format(time.RFC3339))
	}
}

func JSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(raw)
}
