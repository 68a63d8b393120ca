package prompttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// CheckEnums checks that every prompt of the registry renders with all arguments, without optional
// arguments, and with each value of an enum or boolean, in lists too. It reports failures through
// t.Errorf, a value without any text, and an error of Ask that the function does not return: for
// this, it calls the prompt on a server of its own, whose user answers with generated values.
func CheckEnums(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	c := newChecker(t, reg, o)
	probe := newProber(c)
	for i := range c.prompts {
		probe.checkEnums(&c.prompts[i])
	}
}

func (c *prober) checkEnums(p *prompts.Prompt) {
	c.t.Helper()
	if r, why := c.render(p, nil, trial.Names(p, false)); r == nil {
		c.errorf(p, "rendering failed: %s\n\t%s", why.text, why.remedy)
		return
	}
	required := trial.Names(p, true)
	for _, names := range [][]string{trial.Names(p, false), required} {
		if r, _ := c.render(p, nil, names); r != nil {
			c.run(c.newest, p, r.Arguments) // the client of the check may answer no questions
		}
	}
	if len(required) < len(p.Arguments) {
		if r, why := c.render(p, nil, required); r == nil {
			c.errorf(p, "rendering without optional arguments failed: %s\n\t%s", why.text, repairOf(why.text, "Render without the arguments, declare defaults, or make the arguments required."))
		}
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		texts := map[bool][]string{} // values by whether their result has a text
		for _, v := range sample.Finite(schema.Of(a.Schema)) {
			pinned := map[string]string{a.Name: v}
			for n, with := range []struct {
				names []string
				what  string
			}{{trial.Names(p, false), ""}, {required, ", without other optional arguments,"}} {
				r, why := c.render(p, pinned, with.names)
				if r == nil {
					c.errorf(p, "argument %q: rendering with the declared value %s%s failed: %s\n\t%s", a.Name, phrase.Quote(v), with.what, why.text,
						repairOf(why.text, "Render the value, or remove the value from the declaration."))
					break
				}
				if n == 0 {
					texts[saysAnything(r.Result)] = append(texts[saysAnything(r.Result)], phrase.Quote(v))
				}
			}
		}
		if len(texts[true]) > 0 && len(texts[false]) > 0 {
			c.errorf(p, "argument %q: the messages have no text with the declared value %s, and have text with %s\n\tRender the value, or remove the value from the declaration.", a.Name, phrase.Enumerate(texts[false]), phrase.Enumerate(texts[true]))
		}
	}
}

func saysAnything(r *prompts.Result) bool {
	return slices.ContainsFunc(r.Messages, func(m prompts.Message) bool {
		text, ok := m.Content.(*prompts.Text)
		return !ok || strings.TrimSpace(text.Text) != ""
	})
}
