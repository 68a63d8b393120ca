package promptfs

import (
	"crypto/sha256"
	"fmt"

	"github.com/mcp-prompts/prompts"
)

// This file has the version of a folder: its content digest, and the release that is served.

// contentDigest returns the content digest of what [Files] returns. It is made again if a
// file has changed.
func (t *table) contentDigest(skills *skillTable) string {
	if !t.stale && t.content != "" && len(skills.changes.added)+len(skills.changes.changed)+len(skills.changes.removed) == 0 {
		return t.content
	}
	files := make(map[string]fileSum, len(t.entries)+len(t.read))
	for _, p := range t.read {
		files[p.path] = fileSum{p.size, p.sum}
	}
	for _, e := range t.entries {
		files[e.path] = e.own
		for _, d := range e.files {
			files[d.path] = fileSum{d.size, d.sum}
		}
	}
	for path, f := range skills.files {
		files[path] = fileSum{int64(len(f.content)), sha256.Sum256(f.content)}
	}
	_, t.content = contentsOf(files)
	t.stale = false
	return t.content
}

// servedRelease returns the release of what the plan serves. It has no ID if a file is
// invalid: then an older version of the file is served, which is of no release.
func (f *Folder) servedRelease(p *plan, more []*Error) prompts.Release {
	r := prompts.Release{Source: f.options.SourcePrefix}
	if len(p.faults)+len(more) > 0 {
		return r
	}
	switch {
	case f.store != nil && f.store.release != nil:
		r.ID, r.Label = f.store.release.ID, f.store.release.Label
	case f.store != nil:
		if f.store.highest > 0 {
			r.ID = fmt.Sprintf("revision %d", f.store.highest)
		}
	case len(f.table.entries) > 0:
		r.ID = f.table.contentDigest(f.skills)
	}
	return r
}
