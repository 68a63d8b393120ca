package prompts

import (
	"encoding/json"
	"strings"
)

// This file makes the copies of results that caches keep. A copy shares no memory with
// the application or with a request, so a cache can count what it holds.

type keptResult struct {
	result *Result
	bytes  int // of memory; 0 if the result is not to be kept
}

func keep(r *Result) keptResult {
	const own = 512 // of the cache's map and of the Result
	k := keeper{bytes: own}
	kept := &Result{Description: k.text(r.Description), Meta: k.meta(r.Meta)}
	kept.Messages = make([]Message, len(r.Messages))
	const perMessage = 192 // and no more for any type of content
	k.bytes += perMessage * len(r.Messages)
	for i, m := range r.Messages {
		kept.Messages[i] = Message{k.role(m.Role), k.content(m.Content)}
	}
	return keptResult{kept, k.bytes}
}

// keeper copies values, and counts the memory that the copies take, rounded up.
type keeper struct{ bytes int }

func (k *keeper) allocate(n int) {
	switch {
	case n == 0:
	case n <= 32<<10:
		k.bytes += n + n/8 + 16 // size classes
	default:
		k.bytes += n + 8<<10 // pages
	}
}

func (k *keeper) text(s string) string {
	k.allocate(len(s))
	return strings.Clone(s)
}

func (k *keeper) data(b []byte) []byte {
	k.allocate(len(b))
	if b == nil {
		return nil
	}
	return append(make([]byte, 0, len(b)), b...)
}

func (k *keeper) role(r Role) Role {
	for _, known := range []Role{RoleUser, RoleAssistant} {
		if r == known {
			return known
		}
	}
	return Role(k.text(string(r)))
}

func (k *keeper) content(c Content) Content {
	switch c := c.(type) {
	case *Text:
		return &Text{k.text(c.Text), k.annotations(c.Annotations), k.meta(c.Meta)}
	case *Image:
		return &Image{k.data(c.Data), k.text(c.MIMEType), k.annotations(c.Annotations), k.meta(c.Meta)}
	case *Audio:
		return &Audio{k.data(c.Data), k.text(c.MIMEType), k.annotations(c.Annotations), k.meta(c.Meta)}
	case *EmbeddedResource:
		return &EmbeddedResource{
			k.text(c.URI), k.text(c.MIMEType), k.text(c.Text), k.data(c.Blob), k.meta(c.ResourceMeta),
			k.annotations(c.Annotations), k.meta(c.Meta),
		}
	case *ResourceLink:
		link := &ResourceLink{
			URI: k.text(c.URI), Name: k.text(c.Name), Title: k.text(c.Title), Description: k.text(c.Description),
			MIMEType: k.text(c.MIMEType), Annotations: k.annotations(c.Annotations), Meta: k.meta(c.Meta),
		}
		if c.Size != nil {
			k.allocate(8)
			link.Size = pointer(*c.Size)
		}
		for _, i := range c.Icons {
			const perIcon = 2 * 72 // with the room of the slice
			k.bytes += perIcon
			icon := Icon{Src: k.text(i.Src), MIMEType: k.text(i.MIMEType), Theme: k.text(i.Theme)}
			for _, size := range i.Sizes {
				k.allocate(2 * 16)
				icon.Sizes = append(icon.Sizes, k.text(size))
			}
			link.Icons = append(link.Icons, icon)
		}
		return link
	}
	return c // which is not valid
}

func pointer[T any](v T) *T { return &v }

func (k *keeper) annotations(a *Annotations) *Annotations {
	if a == nil {
		return nil
	}
	k.allocate(64)
	kept := &Annotations{LastModified: a.LastModified}
	for _, r := range a.Audience {
		k.allocate(2 * 16) // with the room of the slice
		kept.Audience = append(kept.Audience, k.role(r))
	}
	if a.Priority != nil {
		k.allocate(8)
		kept.Priority = pointer(*a.Priority)
	}
	return kept
}

func (k *keeper) meta(m Meta) Meta { return Meta(k.object(m)) }

func (k *keeper) object(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	const few, more = 384, 80 // a map of up to 8 members, and one member of a larger map
	k.bytes += max(few, more*len(m))
	kept := make(map[string]any, len(m))
	for name, v := range m {
		kept[k.text(name)] = k.value(v)
	}
	return kept
}

// value copies a JSON value. A value of a type whose memory cannot be counted becomes JSON.
func (k *keeper) value(v any) any {
	const box = 32 // of a string, a slice or a number in an interface
	switch v := v.(type) {
	case nil, bool:
		return v
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
		k.bytes += box
		return v
	case string:
		k.bytes += box
		return k.text(v)
	case json.Number:
		k.bytes += box
		return json.Number(k.text(string(v)))
	case json.RawMessage:
		k.bytes += box
		return json.RawMessage(k.data(v))
	case map[string]any:
		return k.object(v)
	case []any:
		if v == nil {
			return v
		}
		k.bytes += box
		k.allocate(16 * len(v))
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = k.value(v[i])
		}
		return kept
	}
	encoded, err := json.Marshal(v)
	if err != nil { // although it was encoded once
		encoded = []byte("null")
	}
	k.bytes += box
	return json.RawMessage(k.data(encoded))
}
