package promptfs

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
)

// refreshPaths is refresh for who knows which files may have changed: it looks
// at those, and at what is made of them or would be. It returns what that can
// have changed, and what is not in the registry as it should be; and false, with
// nothing done, if all files have to be looked at to know that.
func (t *table) refreshPaths(ctx context.Context, s *source, paths []string) (scope, bool) {
	const few = 64
	if t.broken == nil || s.links != nil || len(paths) > few+len(t.entries)/8 {
		return scope{}, false // nothing has been read yet; or it is faster
	}
	skills := map[string]bool{} // their folders; paths contains none of them
	for p := range t.entries {
		if isSkill(path.Base(p)) {
			skills[path.Dir(p)] = true
		}
	}
	changed := make(map[string]bool, len(paths))
	look := make(map[string]bool, len(paths))
	for _, p := range paths {
		if p == s.options.Partials || strings.HasPrefix(p, s.options.Partials+"/") || isSkill(path.Base(p)) {
			return scope{}, false // which may be the end or the beginning of any prompt
		}
		changed[p] = true
		if s.isPrompt(p, skills) {
			look[p] = true
		}
	}
	inside := map[string]bool{}
	for p, e := range t.entries {
		// What is sent may be a folder by mistake, and go with the last file in it.
		isUsed := slices.ContainsFunc(e.files, func(d dependency) bool {
			return changed[d.path] || d.stamp.real == "" && slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, d.path+"/") })
		})
		if changed[p] || isUsed {
			look[p] = true
		}
		if e.prompt != nil || t.broken[p] != nil { // which the registry has yet to get
			inside[p] = true
		}
	}
	names := map[string]bool{}
	for p := range look {
		if old := t.entries[p]; old != nil {
			names[old.name], names[old.wants] = true, true
		}
		stamp, info, err := s.stat(p)
		if err != nil || info.IsDir() {
			delete(t.entries, p)
			delete(inside, p)
			continue
		}
		t.entries[p] = s.look(ctx, t.entries[p], file{p, stamp, info}, t.partials)
		inside[p] = true
	}
	return t.around(inside, names), true
}

// around returns the scope that has these entries and names inside.
func (t *table) around(inside, names map[string]bool) scope {
	for p := range inside {
		names[t.entries[p].name], names[t.entries[p].wants] = true, true
	}
	for name, p := range t.owners {
		if t.entries[p] == nil { // the file was removed, and its prompt was not
			names[name] = true
		}
	}
	delete(names, "")
	t.spread(inside, names)
	maps.DeleteFunc(names, func(name string, _ bool) bool { return t.owners[name] == "" })
	return scope{paths: sortedKeys(inside), names: sortedKeys(names)}
}

// spread adds the entries that have or want one of the names, and their names,
// and so on.
func (t *table) spread(inside, names map[string]bool) {
	var byName map[string][]string
	queue := sortedKeys(names)
	add := func(p string) {
		if inside[p] {
			return
		}
		inside[p] = true
		for _, name := range []string{t.entries[p].name, t.entries[p].wants} {
			if name != "" && !names[name] {
				names[name] = true
				queue = append(queue, name)
			}
		}
	}
	known := len(queue)
	for p, e := range t.entries {
		if names[e.name] || names[e.wants] {
			add(p)
		}
	}
	for queue = queue[known:]; len(queue) > 0; queue = queue[1:] {
		if byName == nil { // which is rarely wanted
			byName = make(map[string][]string, 2*len(t.entries))
			for p, e := range t.entries {
				byName[e.name] = append(byName[e.name], p)
				byName[e.wants] = append(byName[e.wants], p)
			}
		}
		for _, p := range byName[queue[0]] {
			add(p)
		}
	}
}

// isPrompt reports whether a scan would take a file of this path for a prompt.
// skills are the folders of skills.
func (s *source) isPrompt(name string, skills map[string]bool) bool {
	if slices.ContainsFunc(strings.Split(name, "/"), isHidden) || !(&scan{source: s}).isOurs(path.Base(name), false) {
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if skills[dir] {
			return false
		}
		if dir == "." {
			return true
		}
	}
}
