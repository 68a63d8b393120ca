package promptskills

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file composes the entry of a skill, as skills/list and skills/get send it,
// from its files and those of the skills below it.

// entry is a skill in the registry. It is immutable once the registry has it.
type entry struct {
	*compiled
	json []byte // the Skill of the protocol
}

func (tx *Tx) compose() error {
	stale := map[string]bool{}
	for path := range tx.changed {
		stale[path] = true
		for above := range parents(path) {
			if _, ok := tx.edit.Get(above); ok {
				stale[above] = true
			}
		}
	}
	all := tx.edit.Map()
	var errs []error
	for path := range stale {
		old, ok := all.Get(path)
		if !ok {
			continue
		}
		json, err := encode(old.compiled, all, nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tx.edit.Set(path, &entry{old.compiled, json})
	}
	return errors.Join(errs...)
}

// encode returns the Skill of the protocol, without the skills below it that are
// not visible. visible may be nil.
func encode(c *compiled, all ordmap.Map[*entry], visible func(*entry) bool) ([]byte, error) {
	path := c.skill.Path
	dst := append([]byte(nil), `{"uri":`...)
	dst = strictjson.AppendString(dst, c.skill.URI())
	dst = append(dst, `,"frontmatter":`...)
	dst = append(dst, c.skill.Frontmatter...)
	dst = append(dst, `,"resources":`...)
	if c.skill.Dynamic != nil {
		return append(dst, `"dynamic"}`...), nil
	}
	files, size := len(c.files), c.bytes
	list := []byte{'['}
	for i := range c.files {
		list = append(c.files[i].appendResource(list, path), ',')
	}
	for at, below := range all.After(path + "/") {
		name, ok := strings.CutPrefix(at, path+"/")
		if !ok {
			break
		}
		if visible != nil && !visible(below) {
			continue
		}
		if i, _ := c.find(name + "/"); i < len(c.files) && strings.HasPrefix(c.files[i].name, name+"/") {
			return nil, &Error{path, c.files[i].name, fmt.Errorf("file belongs to the folder of skill %q; move it to that skill", at)}
		}
		if _, ok := c.find(name); ok {
			return nil, &Error{path, name, errors.New("a skill has the same path; rename the file or the skill")}
		}
		if below.skill.Dynamic != nil {
			// What has no digest makes the whole have none (SKL-15).
			return append(dst, `"dynamic"}`...), nil
		}
		files, size = files+len(below.files), size+below.bytes
		if files > MaxFiles || size > MaxBytes {
			break
		}
		for i := range below.files {
			list = append(below.files[i].appendResource(list, at), ',')
		}
	}
	switch {
	case files > MaxFiles:
		return nil, &Error{Skill: path, Err: fmt.Errorf("skill has too many files, including skills below it (limit %d)", MaxFiles)}
	case size > MaxBytes:
		return nil, &Error{Skill: path, Err: fmt.Errorf("files are too large, including skills below the skill (limit %d bytes)", MaxBytes)}
	}
	list[len(list)-1] = ']'
	dst = append(dst, list...)
	return append(dst, '}'), nil
}

func parents(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			if !yield(path[:i]) {
				return
			}
		}
	}
}

// find returns the skill that a path is in and, unless the skill is dynamic, the
// file. It reports whether such a file can exist.
func find(all ordmap.Map[*entry], path string) (*entry, *file, bool) {
	for at := range parents(path) {
		e, ok := all.Get(at)
		if !ok {
			continue
		}
		if e.skill.Dynamic != nil {
			return e, nil, true
		}
		i, ok := e.find(path[len(at)+1:])
		if !ok {
			return nil, nil, false // files belong to the nearest skill
		}
		return e, &e.files[i], true
	}
	return nil, nil, false
}
