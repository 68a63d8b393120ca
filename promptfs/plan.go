package promptfs

import (
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

type plan struct {
	entries []*entry          // whose prompts are set
	added   []string          // the names of those that the registry has not yet
	changed []string          // and of the others
	remove  []string          // names
	missing []*entry          // whose prompts other code has removed
	owners  map[string]string // the paths of the prompts in the registry afterwards, by name
	faults  []*Error
}

// holder says whose prompt has a name in the registry.
type holder uint8

const (
	noPrompt     holder = 1 + iota
	folderPrompt        // a prompt from a file of this folder
	otherPrompt
)

// holders are looked up once for each name, because a registry makes copies.
type holders struct {
	in    func(name string) (prompts.Prompt, bool) // the Lookup of a registry, or of a Tx
	table *table
	known map[string]holder
}

func (h *holders) of(name string) holder {
	known := h.known[name]
	if known == 0 {
		p, exists := h.in(name)
		path, isOwned := h.table.owners[name]
		switch {
		case !exists:
			known = noPrompt
		case isOwned && p.Source == h.table.options.sourceOf(path):
			known = folderPrompt
		default:
			known = otherPrompt
		}
		h.known[name] = known
	}
	return known
}

// isFrom reports whether the registry has, under this name, the prompt from path.
func (h *holders) isFrom(name, path string) bool {
	return name != "" && h.table.owners[name] == path && h.of(name) == folderPrompt
}

// plan makes a plan for a registry. If another prompt has the name that a file
// wants, the prompt of the file stays unchanged, as does the prompt of an invalid
// file. Neither rule depends on which file was read first. rejected has why the followers of
// the registry reject the prompts of valid files, by path.
func (t *table) plan(in func(name string) (prompts.Prompt, bool), rejected map[string]error) *plan {
	h := &holders{in, t, make(map[string]holder, len(t.entries))}
	paths, broken := sortedKeys(t.entries), map[string][]*Error{}
	claims := map[string][]string{} // the paths that want each name
	kept := map[string]string{}     // the paths of prompts that stay unchanged, by their names
	for _, path := range paths {
		e, err := t.entries[path], rejected[path]
		switch {
		case len(e.faults) > 0:
			broken[path] = e.faults
		case err != nil:
			broken[path] = []*Error{newError(path, e.line, 0, err)}
		default:
			claims[e.wants] = append(claims[e.wants], path)
			continue
		}
		if h.isFrom(e.name, path) {
			kept[e.name] = path
		}
	}
	// Each unchanged prompt may have the name that another file wants.
	for names := sortedKeys(claims); len(names) > 0; {
		name := names[0]
		names = names[1:]
		for _, path := range claims[name] {
			err := h.nameConflict(name, path, claims[name], kept)
			if err == nil || broken[path] != nil {
				continue
			}
			e := t.entries[path]
			broken[path] = []*Error{newError(path, e.line, 0, err)}
			if h.isFrom(e.name, path) {
				kept[e.name], names = path, append(names, e.name)
			}
		}
	}
	p := &plan{owners: kept, faults: slices.Clone(t.faults)}
	for _, path := range paths {
		e := t.entries[path]
		if errs, isBroken := broken[path]; isBroken {
			p.faults = append(p.faults, errs...)
			continue
		}
		p.owners[e.wants] = path
		switch {
		case e.prompt != nil:
			p.entries = append(p.entries, e)
			if h.of(e.wants) == noPrompt {
				p.added = append(p.added, e.wants)
			} else {
				p.changed = append(p.changed, e.wants)
			}
		case h.of(e.wants) == noPrompt:
			p.missing = append(p.missing, e)
		}
	}
	for _, name := range sortedKeys(t.owners) {
		if p.owners[name] == "" && h.of(name) == folderPrompt {
			p.remove = append(p.remove, name)
		}
	}
	return p
}

// reject adds the prompts of the plan that a follower of the registry rejects with err, and
// reports whether there are any.
func (p *plan) reject(err error, rejected map[string]error) bool {
	before := len(rejected)
	for _, err := range flat(err) {
		var d *prompts.DeclarationError
		if !errors.As(err, &d) {
			continue
		}
		path := p.owners[d.Prompt]
		if slices.ContainsFunc(p.entries, func(e *entry) bool { return e.path == path }) {
			rejected[path] = d.Err
		}
	}
	return len(rejected) > before
}

func (h *holders) nameConflict(name, path string, claims []string, kept map[string]string) error {
	if len(claims) > 1 {
		var others []string
		for _, other := range claims[:min(len(claims), phrase.MaxListed+1)] {
			if other != path {
				others = append(others, shown(other))
			}
		}
		fix := "rename one"
		if norm.NFC.String(path) == norm.NFC.String(others[0]) {
			fix = "remove one, because the file names differ only in their Unicode form, NFC or NFD"
		}
		return hint.New(fix, "%w %q (also in %s)", promptfile.ErrDuplicateName, name, phrase.First(others, len(claims)-1))
	}
	if other, ok := kept[name]; ok {
		return hint.New("fix "+shown(other)+", or rename one of the prompts", "prompt name %q is still used by %s, which is invalid", name, shown(other))
	}
	if h.of(name) == otherPrompt {
		return hint.New("rename this prompt, or serve the folder as NAME=DIR", "prompt name %q is already used by a prompt outside of this folder", name)
	}
	return nil
}

func (t *table) done(p *plan) {
	for _, e := range p.entries {
		e.name, e.applied, e.prompt, e.compiled = e.wants, e.sum, nil, nil
	}
	t.owners = p.owners
	for path, e := range t.entries {
		if e.name != "" && t.owners[e.name] != path {
			e.name = ""
		}
	}
}
