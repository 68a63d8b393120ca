package promptfs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// plan is what has to be done to a registry.
type plan struct {
	entries []*entry          // whose prompts are set
	added   []string          // the names of those that the registry has not yet
	changed []string          // and of the others
	remove  []string          // names
	missing []*entry          // whose prompts are to be set, and are not here any more
	scope   scope             // what the plan is about
	owners  map[string]string // of the names in the scope, afterwards
	broken  map[string][]*Error
	faults  []*Error // of all there is
}

// scope is a part of a table that has nothing to do with the rest of it: no
// prompt outside has, or wants, a name of one inside.
type scope struct {
	paths []string // of entries, in order
	names []string // that these, and entries that have gone, have in the registry
	// isAll says that it is all of the table.
	isAll bool
}

// all returns the scope that is all of the table.
func (t *table) all() scope { return scope{sortedKeys(t.entries), sortedKeys(t.owners), true} }

// lookup is [prompts.Registry.Lookup], or that of a Tx.
type lookup func(name string) (prompts.Prompt, bool)

// holder is who has a name in the registry.
type holder uint8

const (
	nobody holder = 1 + iota
	ours          // a prompt from a file of this folder
	another
)

// holders are asked for once each, because a registry makes copies.
type holders struct {
	in    lookup
	table *table
	known map[string]holder
}

// of returns who has the name.
func (h *holders) of(name string) holder {
	who := h.known[name]
	if who == 0 {
		p, ok := h.in(name)
		path, owned := h.table.owners[name]
		switch {
		case !ok:
			who = nobody
		case owned && p.Source == h.table.options.sourceOf(path):
			who = ours
		default:
			who = another
		}
		h.known[name] = who
	}
	return who
}

// isFrom reports whether the registry has, under this name, the prompt from
// path.
func (h *holders) isFrom(name, path string) bool {
	return name != "" && h.table.owners[name] == path && h.of(name) == ours
}

// plan makes a plan for a registry. If another prompt has the name that a file
// wants, the prompt of the file stays unchanged, as does the prompt of an invalid
// file. Neither rule depends on which file was read first. rejected has why the followers of
// the registry reject the prompts of valid files, by path.
func (t *table) plan(in lookup, within scope, rejected map[string]error) *plan {
	h := &holders{in, t, make(map[string]holder, len(within.paths))}
	broken, paths := map[string][]*Error{}, within.paths
	for _, path := range paths {
		if e := t.entries[path]; len(e.faults) > 0 {
			broken[path] = e.faults
		} else if err := rejected[path]; err != nil {
			broken[path] = []*Error{newError(path, e.line, 0, err)}
		}
	}
	// Each unchanged prompt may have the name that another file wants.
	claims, kept := t.claims(paths, broken, h)
	for names := sortedKeys(claims); len(names) > 0; {
		name := names[0]
		names = names[1:]
		for _, path := range claims[name] {
			err := h.inTheWay(name, path, claims[name], kept)
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
	p := &plan{scope: within, owners: map[string]string{}, broken: broken, faults: slices.Clone(t.faults)}
	if !within.isAll {
		for path, errs := range t.broken {
			if _, isInside := slices.BinarySearch(paths, path); !isInside && t.entries[path] != nil {
				p.faults = append(p.faults, errs...)
			}
		}
	}
	for _, path := range paths {
		e := t.entries[path]
		if errs, isBroken := broken[path]; isBroken {
			p.faults = append(p.faults, errs...)
			if h.isFrom(e.name, path) {
				p.owners[e.name] = path
			}
			continue
		}
		p.owners[e.wants] = path
		switch {
		case e.prompt != nil:
			p.entries = append(p.entries, e)
			if h.of(e.wants) == nobody {
				p.added = append(p.added, e.wants)
			} else {
				p.changed = append(p.changed, e.wants)
			}
		case h.of(e.wants) == nobody:
			p.missing = append(p.missing, e)
		}
	}
	for _, name := range within.names {
		if p.owners[name] == "" && h.of(name) == ours {
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

// claims returns the paths that want each name, and the names of the prompts that
// stay unchanged.
func (t *table) claims(paths []string, broken map[string][]*Error, h *holders) (claims map[string][]string, kept map[string]string) {
	claims, kept = map[string][]string{}, map[string]string{}
	for _, path := range paths {
		e := t.entries[path]
		if broken[path] == nil {
			claims[e.wants] = append(claims[e.wants], path)
		} else if h.isFrom(e.name, path) {
			kept[e.name] = path
		}
	}
	return claims, kept
}

// inTheWay returns why the prompt from path cannot have the name.
func (h *holders) inTheWay(name, path string, claims []string, kept map[string]string) error {
	if len(claims) > 1 {
		var others []string
		for _, other := range claims[:min(len(claims), mostWords+1)] {
			if other != path {
				others = append(others, shown(other))
			}
		}
		fix := "rename one"
		if norm.NFC.String(path) == norm.NFC.String(others[0]) {
			fix = "remove one, because the file names differ only in their Unicode form, NFC or NFD"
		}
		return hint.New(fix, "%w %q (also in %s)", ErrDuplicateName, name, enumerationOf(others, len(claims)-1))
	}
	if other, ok := kept[name]; ok {
		return hint.New("fix "+shown(other)+", or rename one of the prompts", "prompt name %q is still used by %s, which is invalid", name, shown(other))
	}
	if h.of(name) == another {
		return hint.New("rename this prompt", "prompt name %q is already used by a prompt outside of this folder", name)
	}
	return nil
}

// mostWords is how many words an enumeration has.
const mostWords = 5

// enumeration returns the first few of the words.
func enumeration(words []string) string { return enumerationOf(words, len(words)) }

// enumerationOf returns the first few of n words, of which these are the first.
func enumerationOf(words []string, n int) string {
	text := strings.Join(words[:min(len(words), mostWords)], ", ")
	if n > mostWords {
		text += fmt.Sprintf(" and %d more", n-mostWords)
	}
	return text
}

// holds reports whether the names that the plan changes are whose they were
// when it was made.
func (p *plan) holds(t *table, in lookup) bool {
	h := &holders{in, t, map[string]holder{}}
	not := func(who holder) func(string) bool { return func(name string) bool { return h.of(name) != who } }
	return !slices.ContainsFunc(p.added, not(nobody)) && !slices.ContainsFunc(p.changed, not(ours)) && !slices.ContainsFunc(p.remove, not(ours))
}

// done notes that the plan has been carried out.
func (t *table) done(p *plan) {
	for _, e := range p.entries {
		e.name, e.applied, e.prompt, e.compiled = e.wants, e.sum, nil, nil
	}
	if p.scope.isAll {
		t.owners, t.broken = p.owners, p.broken
	} else {
		for _, name := range p.scope.names {
			delete(t.owners, name)
		}
		maps.Copy(t.owners, p.owners)
		for path := range t.broken {
			if _, isInside := slices.BinarySearch(p.scope.paths, path); isInside || t.entries[path] == nil {
				delete(t.broken, path)
			}
		}
		maps.Copy(t.broken, p.broken)
	}
	for _, path := range p.scope.paths {
		if e := t.entries[path]; e.name != "" && t.owners[e.name] != path {
			e.name = ""
		}
	}
}
