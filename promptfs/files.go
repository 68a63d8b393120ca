package promptfs

import (
	"context"
	"io/fs"
	"maps"
	"slices"
)

// Files reads all files for the prompts in fsys: prompts, partials, and files
// included in messages. With Options.Skills, the result has all files of skills, too,
// and nothing is added to that registry. It returns the contents by path, or the
// joined errors of [Load] and [LoadSkills]. Use Files to upload a folder to a store.
func Files(fsys fs.FS, o Options) (map[string][]byte, error) {
	o = o.filled()
	t, s := newTable(&o), newSource(fsys, &o)
	if err := t.refresh(context.Background(), s); err != nil {
		return nil, err
	}
	p := t.plan(emptyRegistry, nil)
	if err := join(p.faults); err != nil {
		return nil, err
	}
	all := map[string]int64{} // how large each may be
	for path, e := range t.entries {
		all[path] = o.MaxFileBytes
		for _, d := range e.files {
			all[d.path] = max(all[d.path], o.MaxResourceBytes)
		}
	}
	for path := range t.read {
		all[path] = max(all[path], o.MaxFileBytes)
	}
	contents := make(map[string][]byte, len(all))
	if o.Skills != nil {
		skills := newSkillTable(&o)
		if err := skills.refresh(context.Background(), s); err != nil {
			return nil, err
		}
		if err := join(skills.all()); err != nil {
			return nil, err
		}
		for path, f := range skills.files {
			contents[path] = f.content
			delete(all, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		stamp, info, err := s.stat(path)
		if err != nil {
			return nil, newError(path, 0, 0, unreadable(err))
		}
		if contents[path], err = s.read(context.Background(), stamp.real, info, all[path]); err != nil {
			return nil, newError(path, 0, 0, err)
		}
	}
	return contents, nil
}
