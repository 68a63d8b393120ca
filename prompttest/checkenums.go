package prompttest

import (
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// CheckEnums checks that every prompt of the registry renders with all arguments,
// without optional arguments, and with each value of an enum or boolean, in lists
// too. It reports failures through t.Errorf.
func CheckEnums(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	c := newChecker(t, reg, o)
	for i := range c.prompts {
		c.checkEnums(&c.prompts[i])
	}
}

func (c *checker) checkEnums(p *prompts.Prompt) {
	c.t.Helper()
	if r, why := c.render(p, nil, trial.Names(p, false)); r == nil {
		c.errorf(p, "rendering failed: %s\n\t%s", why.text, why.remedy)
		return
	}
	required := trial.Names(p, true)
	if len(required) < len(p.Arguments) {
		if r, why := c.render(p, nil, required); r == nil {
			c.errorf(p, "rendering without optional arguments failed: %s\n\tRender without the arguments, declare defaults, or make the arguments required.", why.text)
		}
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		for _, v := range sample.Finite(a.Schema) {
			pinned := map[string]string{a.Name: v}
			for _, with := range []struct {
				names []string
				what  string
			}{{trial.Names(p, false), ""}, {required, ", without other optional arguments,"}} {
				if r, why := c.render(p, pinned, with.names); r == nil {
					c.errorf(p, "argument %q: rendering with the declared value %s%s failed: %s\n\tRender the value, or remove the value from the declaration.", a.Name, trial.Quote(v), with.what, why.text)
					break
				}
			}
		}
	}
}
