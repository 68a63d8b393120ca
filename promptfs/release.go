package promptfs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/mcp-prompts/prompts"
)

// This file has the version of a folder: its content digest, and the release that is
// served.

// Contents returns a list of files and the content digest, which is the SHA-256 of the
// list with the prefix "sha256:". files are those of [Files], by path. The list is the
// JSON object {"files":[{"path":…,"size":…,"digest":…}]} without spaces, in the order of
// the paths. The digest of a file is the SHA-256 of its content. So the same files have the
// same content digest on any machine.
func Contents(files map[string][]byte) (list []byte, digest string) {
	all := make(map[string]fileSum, len(files))
	for path, content := range files {
		all[path] = fileSum{int64(len(content)), sha256.Sum256(content)}
	}
	return contentsOf(all)
}

// fileSum is what the list of contents has of a file.
type fileSum struct {
	size int64
	sum  [sha256.Size]byte
}

func contentsOf(files map[string]fileSum) (list []byte, digest string) {
	list = append(make([]byte, 0, 16+128*len(files)), `{"files":[`...)
	for i, path := range sortedKeys(files) {
		if i > 0 {
			list = append(list, ',')
		}
		f := files[path]
		list = append(list, `{"path":"`...)
		for _, c := range []byte(path) {
			switch {
			case c == '"' || c == '\\':
				list = append(list, '\\', c)
			case c < ' ':
				list = fmt.Appendf(list, `\u%04x`, c)
			default:
				list = append(list, c)
			}
		}
		list = strconv.AppendInt(append(list, `","size":`...), f.size, 10)
		list = hex.AppendEncode(append(list, `,"digest":"sha256:`...), f.sum[:])
		list = append(list, `"}`...)
	}
	list = append(list, "]}"...)
	return list, digestOf(sha256.Sum256(list))
}

// digestOf returns a sum as a digest.
func digestOf(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

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
