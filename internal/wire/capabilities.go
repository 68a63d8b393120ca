package wire

import (
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Capabilities are the client capabilities that the server may need. All
// others, and those in an unknown form, are ignored (JRP-42).
type Capabilities struct {
	Form, URL                bool // the modes of elicitation
	Sampling, Tools, Context bool
	Roots                    bool
}

func ReadCapabilities(rev revision.Revision, v strictjson.Value) Capabilities {
	var c Capabilities
	has := func(v strictjson.Value) bool { return v.Kind() == strictjson.Object }
	if e := v.Get("elicitation"); has(e) && rev.Elicitation() {
		c.URL = rev.ElicitationModes() && has(e.Get("url"))
		c.Form = !c.URL || has(e.Get("form")) // no mode at all means form
	}
	if s := v.Get("sampling"); has(s) {
		c.Sampling = true
		c.Tools = rev.SamplingParts() && has(s.Get("tools"))
		c.Context = !rev.SamplingParts() || has(s.Get("context"))
	}
	c.Roots = has(v.Get("roots"))
	return c
}

func (c Capabilities) Union(d Capabilities) Capabilities {
	return Capabilities{
		Form: c.Form || d.Form, URL: c.URL || d.URL,
		Sampling: c.Sampling || d.Sampling, Tools: c.Tools || d.Tools, Context: c.Context || d.Context,
		Roots: c.Roots || d.Roots,
	}
}

func (c Capabilities) Minus(d Capabilities) Capabilities {
	return Capabilities{
		Form: c.Form && !d.Form, URL: c.URL && !d.URL,
		Sampling: c.Sampling && !d.Sampling, Tools: c.Tools && !d.Tools, Context: c.Context && !d.Context,
		Roots: c.Roots && !d.Roots,
	}
}

// Object returns the capabilities in the form in which a client declares them.
func (c Capabilities) Object() map[string]any {
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
	if c.Form || c.URL {
		all["elicitation"] = object(map[string]bool{"form": c.Form, "url": c.URL})
	}
	if c.Sampling || c.Tools || c.Context {
		all["sampling"] = object(map[string]bool{"tools": c.Tools, "context": c.Context})
	}
	if c.Roots {
		all["roots"] = struct{}{}
	}
	return all
}

// Paths returns the path of each capability, such as "elicitation.form".
func (c Capabilities) Paths() []string {
	var paths []string
	for _, p := range []struct {
		has  bool
		path string
	}{
		{c.Form, "elicitation.form"}, {c.URL, "elicitation.url"}, {c.Sampling, "sampling"},
		{c.Tools, "sampling.tools"}, {c.Context, "sampling.context"}, {c.Roots, "roots"},
	} {
		if p.has {
			paths = append(paths, p.path)
		}
	}
	return paths
}
