package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A name in another form means the prompt, however the prompt came into the registry. Names that
// are ASCII, too long or of a prompt have one form.
func TestNameForm(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	var asked []string
	form := func(name string) string {
		asked = append(asked, name)
		return strings.ReplaceAll(name, "e\u0301", "\u00e9")
	}
	prompt := func(name string, form func(string) string) prompts.Prompt {
		return prompts.Prompt{Name: name, NameForm: form, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(name)), nil
		}}
	}
	for how, add := range map[string]func(reg *prompts.Registry) error{
		"Add":  func(reg *prompts.Registry) error { return reg.Add(prompt(composed, form)) },
		"more": func(reg *prompts.Registry) error { return reg.Add(prompt(composed, form), prompt("other", nil)) },
		"Set after a read": func(reg *prompts.Registry) error {
			_, _ = reg.Lookup(composed)
			return reg.Set(prompt(composed, form))
		},
		"Update": func(reg *prompts.Registry) error {
			return reg.Update(func(tx *prompts.Tx) error { return tx.Set(prompt(composed, form)) })
		},
		"Merge": func(reg *prompts.Registry) error {
			var from prompts.Registry
			from.MustAdd(prompt(composed, form))
			return reg.Update(func(tx *prompts.Tx) error { tx.Merge(&from); return nil })
		},
		"a release after it": func(reg *prompts.Registry) error {
			reg.MustAdd(prompt(composed, form))
			return reg.Update(func(tx *prompts.Tx) error { return tx.SetRelease(prompts.Release{Source: "a", ID: "b"}) })
		},
		"a copy": func(reg *prompts.Registry) error {
			var from prompts.Registry
			from.MustAdd(prompt(composed, form))
			p, _ := from.Lookup(composed)
			return reg.Add(p)
		},
	} {
		var reg prompts.Registry
		reg.MustAdd(prompt("code "+decomposed, nil))
		require.NoError(t, add(&reg))
		srv := prompts.MustNewServer(&reg, prompts.Options{})
		get := func(name string) string { // the text, or the error
			raw, err := srv.Call(t.Context(), "prompts/get", fmt.Appendf(nil, `{"name":%q}`, name), prompts.CallOptions{})
			if err != nil {
				return err.Error()
			}
			return string(raw)
		}
		for _, name := range []string{composed, decomposed} {
			assert.Contains(t, get(name), `"text":"`+composed+`"`, how)
			p, ok := reg.Lookup(name)
			assert.True(t, ok, how)
			assert.Equal(t, composed, p.Name, how)
		}
		assert.Contains(t, get("code "+decomposed), `"text":"code `+decomposed+`"`, how)
		asked = nil
		assert.Contains(t, get("cafe"), "unknown prompt", how)
		assert.Contains(t, get(strings.Repeat(decomposed, 3000)), "unknown prompt", how)
		_ = get(composed)
		assert.Empty(t, asked, how)
	}
}
