package promptfs

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"path"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Mirror keeps the prompts of a registry in sync with files in a store, such as a
// database or a key-value store. Call [Mirror.Reset] and [Mirror.Apply] with the
// contents and the changes. A Mirror holds the files in memory. Apart from loading,
// it behaves like a [Folder]. Safe for concurrent use.
//
// The store numbers its writes. The higher of two revisions of a file is the newer. So changes may
// arrive in any order and more than once.
type Mirror struct {
	folder *Folder
	// The turn of the folder protects the number of versions of files.
	versions int64
}

// File is a file in the store of a [Mirror].
type File struct {
	// Path is the path from the root, with slashes.
	Path string
	// Content is the content of the file. It must not be changed afterwards.
	Content []byte
	// Revision is the number of the write.
	Revision uint64
	// Removed reports that the file was removed.
	Removed bool
	// Err, if not nil, is the reason for missing content. The file is invalid and
	// keeps its last valid version.
	Err error
}

// NewMirror returns an empty Mirror. Options.Debounce and Options.PollInterval have no effect.
// It panics if reg is nil or an option is negative.
func NewMirror(reg *prompts.Registry, o Options) *Mirror {
	m := &Mirror{folder: newFolder("NewMirror", reg, o)}
	m.folder.store = newContents()
	return m
}

// Logger returns Options.Logger, or its default, for records about the store. It waits for
// the handler for at most a second: if the handler blocks, records are dropped, and the
// next one has their number as dropped.
func (m *Mirror) Logger() *slog.Logger {
	m.checkMade()
	return m.folder.options.Logger
}

func (m *Mirror) checkMade() {
	if m == nil || m.folder == nil {
		panic("promptfs: Mirror is not made by NewMirror")
	}
}

// Reset replaces all files, whatever their revisions were. It updates the registry
// in one step and returns the errors of [Folder.Reload]. Call Reset at the start,
// and after changes may have been missed.
func (m *Mirror) Reset(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
		before := m.folder.store
		m.folder.store = newContents()
		for _, f := range files {
			m.putNews(f, before)
		}
	})
}

// Apply writes and removes files. It ignores a file unless its revision is higher
// than the known one. It updates the registry in one step and returns the errors of
// [Folder.Reload], for all files.
//
// Apply reads only these files, and the prompts that use them. It then compares all files and
// names with what is known, in about 10 ms for 1,000 files: pass changes together. If
// other code has removed a prompt of the Mirror from the registry, Apply adds the prompt again.
func (m *Mirror) Apply(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
		m.folder.store.release = nil
		for _, f := range files {
			m.putNews(f, m.folder.store)
		}
	})
}

// Replace replaces all files by those of the release, or none: if a file is invalid, or if
// a name is used by a prompt outside of the Mirror, nothing changes, and Replace returns
// all errors, joined, each an [*Error]. It updates the registry in one step, with the
// release, whose Source is Options.SourcePrefix. A prompt that is equal in both releases
// stays the same. The Revision of each File has no meaning.
//
// Replace checks only the files that differ. Skills of Options.Skills are replaced in a
// second step.
func (m *Mirror) Replace(ctx context.Context, r prompts.Release, files ...File) error {
	return m.change(ctx, func() {
		before := m.folder.store
		m.folder.store = newContents()
		m.folder.store.release = &r
		for _, f := range files {
			m.put(f, before)
		}
	})
}

func (m *Mirror) change(ctx context.Context, write func()) error {
	m.checkMade()
	f := m.folder
	end, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	table, skills, store := *f.table, *f.skills, f.store
	write()
	report, err := f.reload(ctx, 0)
	if err != nil && f.store.release != nil {
		*f.table, *f.skills, f.store = table, skills, store
	}
	return f.finish(ctx, report, err)
}

// putNews is put for a file whose revision is later than the one that is known.
func (m *Mirror) putNews(f File, before *contents) {
	store := m.folder.store
	if known, ok := store.revisions[f.Path]; ok && f.Revision <= known {
		return
	}
	store.revisions[f.Path] = f.Revision
	store.highest = max(store.highest, f.Revision)
	m.put(f, before)
}

// put keeps a file whose content is the same as before.
func (m *Mirror) put(f File, before *contents) {
	store, o := m.folder.store, m.folder.options
	old := before.files[f.Path]
	delete(store.faults, f.Path)
	err := f.Err
	if err == nil && (!fs.ValidPath(f.Path) || f.Path == ".") {
		err = hint.New("use a relative path such as review/code.md", "invalid path")
	}
	most := max(o.MaxFileBytes, o.MaxResourceBytes)
	if o.Skills != nil {
		most = max(most, promptskills.MaxBytes)
	}
	size, content := int64(len(f.Content)), f.Content
	if size > int64(most) {
		content = nil
	}
	switch {
	case f.Removed:
		delete(store.files, f.Path)
	case err != nil:
		store.faults[f.Path] = newError(f.Path, 0, 0, err)
		if old != nil {
			store.files[f.Path] = old
		}
	case old != nil && old.size == size && bytes.Equal(old.content, content):
		store.files[f.Path] = old
	default:
		m.versions++
		store.files[f.Path] = &memoryFile{path.Base(f.Path), m.versions, content, size}
	}
}
