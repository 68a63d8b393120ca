package promptfs

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Mirror keeps the prompts of a registry in sync with files in a store, such as a
// database or a key-value store. Call [Mirror.Reset] and [Mirror.Apply] with the
// contents and the changes. A Mirror holds the files in memory. Apart from loading,
// it behaves like a [Folder]. Safe for concurrent use.
//
// The store numbers its writes. The higher of two revisions of a
// file is the newer.
// So changes may arrive in any order and more than once.
type Mirror struct {
	folder *Folder
	files  *memory

	// Who has the folder's turn has these, and files.
	revisions map[string]uint64 // by path; those of files that have gone among them
	highest   uint64            // of all revisions
	faults    map[string]*Error // that the store has found, by path
	dirty     map[string]bool   // paths of files that have changed and were not looked at
	all       bool              // that is, all of them
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

// NewMirror returns an empty Mirror. Options.Debounce and Options.PollInterval have
// no effect.
func NewMirror(reg *prompts.Registry, o Options) *Mirror {
	m := &Mirror{files: &memory{}, revisions: map[string]uint64{}, faults: map[string]*Error{}, dirty: map[string]bool{}}
	m.folder = NewFolder(reg, m.files, o)
	m.folder.more, m.folder.revision = m.more, func() uint64 { return m.highest }
	return m
}

// Logger returns Options.Logger, or its default, for records about the store. It waits for
// the handler for at most a second: if the handler blocks, records are dropped, and the
// next one has their number as dropped.
func (m *Mirror) Logger() *slog.Logger { return m.folder.options.Logger }

// Reset replaces all files, whatever their revisions were. It updates the registry
// in one step and returns the errors of [Folder.Reload]. Call Reset at the start,
// and after changes may have been missed.
func (m *Mirror) Reset(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
		m.folder.release, m.highest = nil, 0
		m.revisions, m.faults = make(map[string]uint64, len(files)), map[string]*Error{}
		there := make(map[string]bool, len(files))
		for _, f := range files {
			if m.isNews(f) {
				m.put(f)
				there[f.Path] = !f.Removed
			}
		}
		for _, path := range m.files.paths() {
			if !there[path] {
				m.put(File{Path: path, Removed: true})
			}
		}
		m.all = true
	})
}

// Apply writes and removes files. It ignores a file unless its revision is higher
// than the known one. It updates the registry in one step and returns the errors of
// [Folder.Reload], for all files.
//
// Apply checks only these files, the prompts that use them, and invalid files. The
// cost does not depend on the number of other files. If other code removes a prompt
// from the registry, only Reset adds the prompt again.
func (m *Mirror) Apply(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
		m.folder.release = nil
		for _, f := range files {
			if m.isNews(f) {
				m.put(f)
			}
		}
	})
}

// isNews reports whether the revision is later than the one that is known, and
// takes note of it.
func (m *Mirror) isNews(f File) bool {
	if before, ok := m.revisions[f.Path]; ok && f.Revision <= before {
		return false
	}
	m.revisions[f.Path] = f.Revision
	m.highest = max(m.highest, f.Revision)
	return true
}

// change changes the files, and the registry.
func (m *Mirror) change(ctx context.Context, f func()) error {
	select {
	case <-m.folder.turn:
		defer func() { m.folder.turn <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	f()
	report, err := m.look(ctx)
	return m.folder.finish(ctx, report, err)
}

// look brings what has changed into the registry.
func (m *Mirror) look(ctx context.Context) (*Report, error) {
	s := newSource(m.files, &m.folder.options)
	within, ok := scope{}, false
	if skills := m.folder.skills; m.folder.options.Skills != nil && (m.all || skills.concerns(m.dirty)) {
		if err := skills.refresh(ctx, s); err != nil {
			return nil, err
		}
	}
	if !m.all {
		within, ok = m.folder.table.refreshPaths(ctx, s, slices.Collect(maps.Keys(m.dirty)))
	}
	if ctx.Err() != nil { // entries may have this error, and are read again with the next change
		return nil, ctx.Err()
	}
	if !ok {
		if err := m.folder.table.refresh(ctx, s); err != nil {
			return nil, err
		}
		within = m.folder.table.all()
	}
	// From now on the table knows, whatever becomes of the registry.
	m.all = false
	clear(m.dirty)
	return m.folder.apply(ctx, s, within)
}

// put writes or removes a file.
func (m *Mirror) put(f File) {
	err := f.Err
	if err == nil && (!fs.ValidPath(f.Path) || f.Path == ".") {
		err = hint.New("use a relative path such as review/code.md", "invalid path")
	}
	delete(m.faults, f.Path)
	changed, others := false, false
	switch {
	case f.Removed:
		changed, others = m.files.remove(f.Path)
	case err != nil:
		m.faults[f.Path] = newError(f.Path, 0, 0, err)
	default:
		o := m.folder.options
		most := max(o.MaxFileBytes, o.MaxResourceBytes)
		if o.Skills != nil {
			most = max(most, promptskills.MaxBytes)
		}
		changed, others = m.files.set(f.Path, f.Content, most)
	}
	if changed {
		m.dirty[f.Path] = true
	}
	m.all = m.all || others
}

// more returns the errors that a Folder does not find: those of the store, and
// those of files below files.
func (m *Mirror) more() []*Error {
	return append(m.files.conflicts(), slices.Collect(maps.Values(m.faults))...)
}
