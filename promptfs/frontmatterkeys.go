package promptfs

import (
	"context"
	"sort"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

type header struct {
	prompt    prompts.Prompt // without arguments
	arguments []argument
	members   members
	iconLines []int // of the icons
	isText    bool  // the messages are texts, and no templates
	// lost says that an argument may be missing, because what declares it could not be read.
	lost bool
}

func (d decoder) header(n *yaml.Node) header {
	var h header
	if n == nil {
		return h
	}
	if !d.plain(n) {
		h.lost = true
		return h
	}
	h.members = d.members(n, "front matter", promptfile.Keys)
	for _, m := range h.members {
		switch m.key {
		case "name":
			if h.prompt.Name = d.text(m); h.prompt.Name == "" && isText(m.value) {
				d.faults.add(m.line, emptyValue(m.key))
			}
		case "title":
			h.prompt.Title = d.text(m)
		case "description":
			h.prompt.Description = d.text(m)
		case "version":
			h.prompt.Version = d.text(m)
		case "tags":
			h.prompt.Tags = d.texts(m)
		case "icons":
			h.prompt.Icons, h.iconLines = d.icons(m)
		case "meta", "_meta":
			if h.prompt.Meta != nil {
				d.faults.add(m.line, hint.New("keep one of the two", "meta and _meta are the same key"))
			}
			h.prompt.Meta = d.meta(m)
		case "hints":
			h.prompt.DisableHints = !d.boolean(m, true)
		case "template":
			h.isText = !d.boolean(m, true)
		case "arguments":
			h.arguments = d.arguments(m)
			h.lost = len(h.arguments) == 0 || len(h.arguments) < len(m.value.Content)
		}
	}
	if h.members.line("arguments") == 0 && len(h.members) < len(n.Content)/2 {
		h.lost = true // one of the keys that are not known may be it
	}
	return h
}

// places are the keys whose parts of a prompt have lines of their own, and how to do without.
var places = []struct {
	key    string
	remove func(p *prompts.Prompt)
}{
	{"icons", func(p *prompts.Prompt) { p.Icons = nil }},
	{"meta", func(p *prompts.Prompt) { p.Meta = nil }},
	{"_meta", func(p *prompts.Prompt) { p.Meta = nil }},
	{"version", func(p *prompts.Prompt) { p.Version = "" }},
	{"title", func(p *prompts.Prompt) { p.Title = "" }},
	{"description", func(p *prompts.Prompt) { p.Description = "" }},
	{"name", func(p *prompts.Prompt) { p.Name = "name" }},
}

// lineOf returns the line of an error that a registry has found in the prompt: the line of the key
// whose removal also removes the error, or the line of the argument.
func (h *header) lineOf(p prompts.Prompt, fault *prompts.DeclarationError) int {
	for _, a := range h.arguments {
		if fault.Argument != "" && a.declared.Name == fault.Argument {
			return a.lineOf(fault)
		}
	}
	for _, place := range places {
		line := h.members.line(place.key)
		if line == 0 {
			continue
		}
		without := p
		without.Arguments = nil
		if place.remove(&without); !hasError(without, fault) {
			if place.key == "icons" {
				line = h.lineOfIcon(p, fault)
			}
			return line
		}
	}
	return 0
}

// lineOfIcon returns the line of the invalid icon. It searches for the shortest
// prefix of the icons with which a registry finds the error, and returns the line
// of the last icon in that prefix. With all icons, a registry finds the error.
func (h *header) lineOfIcon(p prompts.Prompt, fault *prompts.DeclarationError) int {
	p.Arguments = nil
	has := func(n int) bool {
		some := p
		some.Icons = p.Icons[:n]
		return hasError(some, fault)
	}
	// By doubling first, because only the first errors of a file are reported.
	most := 1
	for most < len(p.Icons) && !has(most) {
		most *= 2
	}
	most = min(most, len(p.Icons))
	n := most/2 + sort.Search(most-most/2, func(i int) bool { return has(most/2 + i) })
	return h.iconLines[n-1]
}

func hasError(p prompts.Prompt, fault *prompts.DeclarationError) bool {
	_, faults := compile(p)
	for _, e := range faults {
		if e.Argument == fault.Argument && e.Err.Error() == fault.Err.Error() {
			return true
		}
	}
	return false
}

// compile returns a registry that has p, or nil and the errors that a registry finds in p.
func compile(p prompts.Prompt) (*prompts.Registry, []*prompts.DeclarationError) {
	only := new(prompts.Registry)
	err := only.Add(p)
	if err == nil {
		return only, nil
	}
	var all []*prompts.DeclarationError
	for _, err := range flat(err) {
		if e, ok := err.(*prompts.DeclarationError); ok {
			all = append(all, e)
		}
	}
	return nil, all
}

// nothing is a placeholder for a render function that is not compiled yet.
func nothing(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
