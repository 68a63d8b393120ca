package promptfs

import (
	"context"
	"io/fs"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// Files reads all files for the prompts in fsys: prompts, partials, and files
// included in messages. It returns the contents by path, or the joined errors of
// [Load]. Use Files to upload a folder to a store.
func Files(fsys fs.FS, o Options) (map[string][]byte, error) {
	o = o.filled()
	t, s := newTable(&o), newSource(fsys, &o)
	if err := t.refresh(context.Background(), s); err != nil {
		return nil, err
	}
	p := t.plan(func(string) (prompts.Prompt, bool) { return prompts.Prompt{}, false }, t.all())
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
	for _, path := range slices.Sorted(maps.Keys(all)) {
		stamp, info, err := s.stat(path)
		if err != nil {
			return nil, &Error{Path: path, Err: unreadable(err)}
		}
		if contents[path], err = s.read(stamp.real, info, all[path]); err != nil {
			return nil, &Error{Path: path, Err: err}
		}
	}
	return contents, nil
}
