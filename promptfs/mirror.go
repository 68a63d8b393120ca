package promptfs

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// Mirror keeps the prompts of a registry equal to the files of a store that is
// no file system: a database, or a key-value store that several servers share.
// It holds the files in memory, and is told of what becomes of them by
// [Mirror.Reset] and [Mirror.Apply]. For the rest it is as a [Folder], partials,
// files that messages send, skills, clashes and faults included. Any number of
// goroutines may use it.
//
// The store numbers what is written: of two revisions of one file, the higher
// one is the later. So it does not matter in which order, nor how often, a
// Mirror hears of them.
type Mirror struct {
	folder *Folder
	files  *memory

	// Who has the folder's turn has these, and files.
	revisions map[string]uint64 // by path; those of files that have gone among them
	faults    map[string]*Error // that the store has found, by path
	dirty     map[string]bool   // paths of files that have changed and were not looked at
	all       bool              // that is, all of them
}

// File is one of a store, as it is told to a [Mirror].
type File struct {
	// Path is the file's path, from the root, with slashes.
	Path string
	// Content is what is in it. It must not be changed afterwards.
	Content []byte
	// Revision is the number of what was written.
	Revision uint64
	// Removed says that the file is there no more.
	Removed bool
	// Err says why there is no content, if the store knows. It is a fault of the
	// file, which stays as it was.
	Err error
}

// NewMirror returns a Mirror without files. Debounce and Poll of the Options do
// not matter to it.
func NewMirror(reg *prompts.Registry, o Options) *Mirror {
	m := &Mirror{files: &memory{}, revisions: map[string]uint64{}, faults: map[string]*Error{}, dirty: map[string]bool{}}
	m.folder = NewFolder(reg, m.files, o)
	m.folder.more = m.more
	return m
}

// Reset makes the files those that are given, whatever their revisions were
// before. What that changes is one update of the registry, and the error is that
// of [Folder.Reload]. It is for the beginning, and for whenever something may
// have been missed.
func (m *Mirror) Reset(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
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

// Apply writes and removes the files that are given, but for those with a
// revision that is not higher than the one that it knows of this file. What that
// changes is one update of the registry, and the error is that of
// [Folder.Reload]; it joins the faults of all files, not only of these.
//
// Only these files are looked at, what is made of them, and what has faults. So
// it costs little however many others there are; but that other code has removed
// a prompt from the registry is noticed by Reset only.
func (m *Mirror) Apply(ctx context.Context, files ...File) error {
	return m.change(ctx, func() {
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
	if !m.all {
		within, ok = m.folder.table.refreshPaths(ctx, s, slices.Collect(maps.Keys(m.dirty)))
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
		err = errors.New("it is no path of a file; give it a name such as review/code.md")
	}
	delete(m.faults, f.Path)
	changed, others := false, false
	switch {
	case f.Removed:
		changed, others = m.files.remove(f.Path)
	case err != nil:
		m.faults[f.Path] = &Error{Path: f.Path, Err: err}
	default:
		o := m.folder.options
		changed, others = m.files.set(f.Path, f.Content, max(o.MaxFileBytes, o.MaxResourceBytes))
	}
	if changed {
		m.dirty[f.Path] = true
	}
	m.all = m.all || others
}

// more returns the faults that are not those of a folder.
func (m *Mirror) more() []*Error {
	return append(m.files.faults(), slices.Collect(maps.Values(m.faults))...)
}
