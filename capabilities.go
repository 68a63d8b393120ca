package prompts

import (
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// clientCapabilities are what a client can be asked for. What a client
// declares beside them, and what it declares in a form that the protocol does
// not know, is nothing to us (JRP-42).
type clientCapabilities struct {
	form, url                 bool // the modes of elicitation
	sampling, tools, contexts bool
	roots                     bool
}

func readCapabilities(rev revision.Revision, v strictjson.Value) clientCapabilities {
	var c clientCapabilities
	has := func(v strictjson.Value) bool { return v.Kind() == strictjson.Object }
	if e := v.Get("elicitation"); has(e) && rev.Elicitation() {
		c.url = rev.ElicitationModes() && has(e.Get("url"))
		c.form = !c.url || has(e.Get("form")) // no mode at all means form
	}
	if s := v.Get("sampling"); has(s) {
		c.sampling = true
		c.tools = rev.ElicitationModes() && has(s.Get("tools"))
		c.contexts = !rev.ElicitationModes() || has(s.Get("context")) // before that, part of sampling itself
	}
	c.roots = has(v.Get("roots"))
	return c
}

// and returns the capabilities of both.
func (c clientCapabilities) and(d clientCapabilities) clientCapabilities {
	return clientCapabilities{
		form: c.form || d.form, url: c.url || d.url,
		sampling: c.sampling || d.sampling, tools: c.tools || d.tools, contexts: c.contexts || d.contexts,
		roots: c.roots || d.roots,
	}
}

// without returns those of the capabilities that d has not.
func (c clientCapabilities) without(d clientCapabilities) clientCapabilities {
	return clientCapabilities{
		form: c.form && !d.form, url: c.url && !d.url,
		sampling: c.sampling && !d.sampling, tools: c.tools && !d.tools, contexts: c.contexts && !d.contexts,
		roots: c.roots && !d.roots,
	}
}

// declare returns the capabilities in the form in which a client declares them.
func (c clientCapabilities) declare() map[string]any {
	object := func(members map[string]bool) map[string]any {
		o := map[string]any{}
		for name, has := range members {
			if has {
				o[name] = struct{}{}
			}
		}
		return o
	}
	all := map[string]any{}
	if c.form || c.url {
		all["elicitation"] = object(map[string]bool{"form": c.form, "url": c.url})
	}
	if c.sampling || c.tools || c.contexts {
		all["sampling"] = object(map[string]bool{"tools": c.tools, "context": c.contexts})
	}
	if c.roots {
		all["roots"] = struct{}{}
	}
	return all
}

// names returns the capabilities as a path to each.
func (c clientCapabilities) names() []string {
	var names []string
	for _, n := range []struct {
		has  bool
		name string
	}{
		{c.form, "elicitation.form"}, {c.url, "elicitation.url"}, {c.sampling, "sampling"},
		{c.tools, "sampling.tools"}, {c.contexts, "sampling.context"}, {c.roots, "roots"},
	} {
		if n.has {
			names = append(names, n.name)
		}
	}
	return names
}
