package prompttemplate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// digest returns the Digest of a prompt: that of p, or else the SHA-256 of its
// declaration, its messages, and the partials that the messages call, through others too.
// The functions and a struct with the arguments are code, which is not part of it.
func (c *compiled) digest(p prompts.Prompt) string {
	if p.Digest != "" {
		return p.Digest
	}
	h := sha256.New()
	write := func(values ...any) {
		text, err := json.Marshal(values)
		if err != nil { // of a schema or a content, which Registry.Add reports
			text = []byte(err.Error())
		}
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	write(p.Name, p.Title, p.Description, p.Version)
	for _, a := range p.Arguments {
		write("argument", a.Name, a.Title, a.Description, a.Required, a.Sensitive, schemaOf(a))
	}
	for _, m := range c.messages {
		text := ""
		if m.text != nil {
			text = m.text.source
		}
		write("message", m.role, text, fmt.Sprintf("%T", m.content), m.content)
	}
	partials := slices.SortedFunc(slices.Values(c.partials), func(a, b *text) int { return cmp.Compare(a.partial, b.partial) })
	for _, t := range partials {
		write("partial", t.partial, t.source)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
