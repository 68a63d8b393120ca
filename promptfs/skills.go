package promptfs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptskills"
)

// This file keeps a registry of skills equal to the folders with a SKILL.md.

// LoadSkills makes skills of all folders in fsys that have a SKILL.md. It returns those that are
// valid, in the order of their paths, and an error that joins all errors of the others, each an
// [*Error]: there can be both. The rules for files and links are those of [Load].
func LoadSkills(fsys fs.FS, o Options) ([]promptskills.Skill, error) {
	o, err := o.filled("LoadSkills", "file system", fsys)
	if err != nil {
		return nil, err
	}
	t := newSkillTable(&o)
	if err := t.refresh(context.Background(), newSource(fsys, &o)); err != nil {
		return nil, err
	}
	var skills []promptskills.Skill
	for _, path := range sortedKeys(t.entries) {
		if e := t.entries[path]; e.isValid() {
			skills = append(skills, e.skill)
		}
	}
	return skills, join(t.all())
}

type skillTable struct {
	options *Options
	files   map[string]*skillFile  // by path
	entries map[string]*skillEntry // by the path of the skill
	owners  map[string]*skillEntry // what the registry has, by the same
	faults  []*Error               // of folders and links
	refused []*Error               // why the registry did not take skills, when it was last updated
	folders []string               // that something was read from
	changes skillChanges
}

type skillChanges struct{ added, changed, removed []string }

// skillFile is one file of a skill. It is immutable.
type skillFile struct {
	stamp   stamp
	content []byte
	err     error

	// Of a SKILL.md.
	front    json.RawMessage
	lines    map[string]int
	faults   []*Error
	warnings []*Error
}

// skillEntry is one folder with a SKILL.md. It is immutable.
type skillEntry struct {
	dir    string
	files  map[string]*skillFile // by their paths in the folder
	skill  promptskills.Skill
	faults []*Error
}

func (e *skillEntry) isValid() bool { return len(e.faults) == 0 }

func newSkillTable(o *Options) *skillTable {
	return &skillTable{options: o, owners: map[string]*skillEntry{}}
}

// foundSkill is a folder with a SKILL.md and its files, those of skills below it not included.
type foundSkill struct {
	files []file
	// With those of skills below it.
	count int
	bytes int64
}

// refresh looks at the files of skills, and reads those that have changed. If it
// fails, the table is what it was.
func (t *skillTable) refresh(ctx context.Context, s *source) error {
	found, err := s.scan(ctx, ofSkills, ".")
	if err != nil {
		return err
	}
	for path, f := range t.files {
		if isBelow(path, found.unread) { // what cannot be looked at has not gone
			found.files = append(found.files, file{path: path, stamp: f.stamp})
		}
	}
	slices.SortFunc(found.files, byPath)
	skills := map[string]*foundSkill{}
	for _, f := range found.files {
		if path.Base(f.path) == promptfile.SkillFile {
			skills[path.Dir(f.path)] = &foundSkill{}
		} else if promptfile.IsSkill(f.path) {
			found.fault(f.path, hint.New("rename the file", "file of a skill must be named %s", promptfile.SkillFile))
		}
	}
	for _, f := range found.files {
		for dir, isOwn := path.Dir(f.path), true; ; dir = path.Dir(dir) {
			if k := skills[dir]; k != nil {
				if k.count, k.bytes = k.count+1, k.bytes+f.stamp.size; isOwn {
					k.files, isOwn = append(k.files, f), false
				}
			}
			if dir == "." {
				break
			}
		}
	}
	var all []file // of the skills that are not too large
	for _, k := range skills {
		if len(k.files) <= promptskills.MaxFiles {
			all = append(all, k.files...)
		}
	}
	files, err := refreshed(ctx, all, nil, t.files, func(f file, old *skillFile) *skillFile {
		cannotLook := f.info == nil // then there is an old one
		if cannotLook || old != nil && old.err == nil && f.stamp.same(old.stamp) {
			return old
		}
		return s.readSkillFile(ctx, f, old)
	})
	if err != nil {
		return err
	}
	prefix := t.options.NamePrefix
	if root := files[promptfile.SkillFile]; root != nil {
		var front struct{ Name string }
		_ = json.Unmarshal(root.front, &front) // the file reports the errors
		prefix = path.Join(prefix, front.Name)
	}
	entries := make(map[string]*skillEntry, len(skills))
	for _, dir := range sortedKeys(skills) {
		name := norm.NFC.String(path.Join(prefix, dir))
		if other := entries[name]; other != nil {
			found.fault(dir, hint.New("rename one", "folder has the name of %s, in another Unicode form, NFC or NFD", shown(other.dir)))
			continue
		}
		entries[name] = t.entry(name, dir, skills[dir], files)
	}
	t.files, t.entries, t.faults, t.folders = files, entries, slices.Concat(s.faults, found.faults), found.folders
	return nil
}

// readSkillFile reads one file of a skill. If the content is that of old, it is not held twice.
func (s *source) readSkillFile(ctx context.Context, f file, old *skillFile) *skillFile {
	content, err := s.read(ctx, nil, f.stamp.real, f.info, promptskills.MaxBytes)
	if err == nil && old != nil && old.err == nil && string(old.content) == string(content) {
		same := *old
		same.stamp = f.stamp
		return &same
	}
	k := &skillFile{stamp: f.stamp, content: content, err: err}
	if err == nil && path.Base(f.path) == promptfile.SkillFile {
		front, lines, faults := frontmatterOf(f.path, content)
		k.front, k.lines, k.faults, k.warnings = front, lines, faults.all, faults.warnings
		if s.options.DisableSkillPrompts { // or the file is read as a prompt, too
			s.warn(ctx, cmp.Or(old, new(skillFile)).warnings, k.warnings)
		}
	}
	return k
}

// entry returns what a folder with a SKILL.md is. skill is the path of the skill.
func (t *skillTable) entry(skill, dir string, k *foundSkill, files map[string]*skillFile) *skillEntry {
	e := &skillEntry{dir: dir, files: make(map[string]*skillFile, len(k.files))}
	for _, f := range k.files {
		name := norm.NFC.String(below(dir, f.path)) // macOS may have stored the name in NFD
		if e.files[name] != nil {
			e.faults = append(e.faults, newError(f.path, 0, 0, hint.New("remove one", "two files have this name, in different Unicode forms, NFC and NFD")))
		}
		e.files[name] = files[f.path]
	}
	main := path.Join(dir, promptfile.SkillFile)
	fail := func(path string, line int, err error) {
		e.faults = append(e.faults, newError(path, line, 0, err))
	}
	switch {
	case k.count > promptskills.MaxFiles:
		fail(main, 0, fmt.Errorf("skill has %d files, with nested skills (limit %d)", k.count, promptskills.MaxFiles))
		return e
	case k.bytes > promptskills.MaxBytes:
		fail(main, 0, fmt.Errorf("files of the skill have %d bytes, with nested skills (limit %d)", k.bytes, promptskills.MaxBytes))
		return e
	}
	if old := t.entries[skill]; old != nil && old.dir == dir && old.isValid() && maps.EqualFunc(old.files, e.files, sameFile) {
		return old
	}
	contents := make(map[string][]byte, len(e.files))
	for name, f := range e.files {
		if f.err != nil {
			fail(path.Join(dir, name), 0, f.err)
		}
		contents[name] = f.content
	}
	mainFile := e.files[promptfile.SkillFile]
	if e.faults = append(e.faults, mainFile.faults...); len(e.faults) > 0 {
		return e
	}
	e.skill = promptskills.Skill{Path: skill, Frontmatter: mainFile.front, Files: contents, Source: t.options.sourceOf(main)}
	if err := e.skill.Check(); err != nil {
		for _, err := range flat(err) {
			e.faults = append(e.faults, e.errorOf(err))
		}
	}
	return e
}

// sameFile reports whether two files have the same content.
func sameFile(a, b *skillFile) bool {
	return a == b || a.err == nil && b.err == nil && len(a.content) == len(b.content) && (len(a.content) == 0 || &a.content[0] == &b.content[0])
}

func (e *skillEntry) errorOf(err error) *Error {
	at := newError(path.Join(e.dir, promptfile.SkillFile), 0, 0, err)
	var of *promptskills.Error
	if !errors.As(err, &of) {
		return at
	}
	if at.Hint, at.Err = hint.Split(of.Err); of.File != "" {
		at.Path = path.Join(e.dir, of.File)
	}
	if main := e.files[promptfile.SkillFile]; of.File == promptfile.SkillFile && main != nil {
		text := strings.TrimPrefix(at.Err.Error(), "front matter: ")
		key, _, _ := strings.Cut(text, " ")
		at.Line = max(main.lines[key], 1)
	}
	return at
}

func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return name[len(dir)+1:]
}

func (t *skillTable) all() []*Error {
	all := slices.Concat(t.faults, t.refused)
	for _, e := range t.entries {
		all = append(all, e.faults...)
	}
	return all
}

// apply applies the changes to the registry, as one update. An invalid skill stays unchanged.
func (t *skillTable) apply(reg *promptskills.Registry) {
	without := map[string]bool{} // skills that the registry does not take
	t.refused = nil
	for {
		next := maps.Clone(t.owners)
		changes, faults := skillChanges{}, []*Error(nil)
		err := reg.Update(func(tx *promptskills.Tx) error {
			changes, faults = t.change(tx, next, without)
			return nil
		})
		if err == nil {
			t.owners, t.changes = next, changes
			t.refused = append(t.refused, faults...)
			return
		}
		t.changes = skillChanges{}
		before := len(without)
		for _, err := range flat(err) {
			var of *promptskills.Error
			if !errors.As(err, &of) {
				continue
			}
			if e := cmp.Or(t.entries[of.Skill], t.owners[of.Skill]); e != nil && !without[of.Skill] {
				t.refused = append(t.refused, e.errorOf(err))
			}
			without[of.Skill] = true
		}
		if len(without) == before {
			t.refused = append(t.refused, &Error{Path: ".", Err: fmt.Errorf("cannot update skills (existing skills are kept): %w", err)})
			return
		}
	}
}

// change changes the registry, but for the skills that it does not take and those
// above and below them. owners is what the registry has then.
func (t *skillTable) change(tx *promptskills.Tx, owners map[string]*skillEntry, without map[string]bool) (c skillChanges, faults []*Error) {
	isLeft := func(skill string) bool {
		for other := range without {
			if skill == other || strings.HasPrefix(skill, other+"/") || strings.HasPrefix(other, skill+"/") {
				return true
			}
		}
		return false
	}
	for _, skill := range sortedKeys(owners) {
		if t.entries[skill] != nil || isLeft(skill) {
			continue
		}
		if now, ok := tx.Lookup(skill); ok && now.Source == owners[skill].skill.Source {
			tx.Remove(skill)
			c.removed = append(c.removed, skill)
		}
		delete(owners, skill)
	}
	for _, skill := range sortedKeys(t.entries) {
		e := t.entries[skill]
		if !e.isValid() || isLeft(skill) {
			continue
		}
		now, exists := tx.Lookup(skill)
		switch {
		case exists && now.Source != e.skill.Source:
			faults = append(faults, newError(path.Join(e.dir, promptfile.SkillFile), 0, 0, hint.New("rename the folder", "skill path %q is already used by a skill outside of this folder", skill)))
			continue
		case exists && owners[skill] == e:
			continue
		}
		if err := tx.Set(e.skill); err != nil { // which was checked
			faults = append(faults, e.errorOf(err))
			continue
		}
		if owners[skill] = e; exists {
			c.changed = append(c.changed, skill)
		} else {
			c.added = append(c.added, skill)
		}
	}
	return c, faults
}
