package promptfs

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// contents are the files of a store. The turn of the folder protects them.
type contents struct {
	files     map[string]*memoryFile // by path
	revisions map[string]uint64      // by path; of removed files, too
	highest   uint64                 // of all revisions
	faults    map[string]*Error      // that the store has found, by path
	release   *prompts.Release       // of [Mirror.Replace], which serves all files or none
}

func newContents() *contents {
	return &contents{files: map[string]*memoryFile{}, revisions: map[string]uint64{}, faults: map[string]*Error{}}
}

// errors returns the errors of a store that a Folder does not find: those of the store, and
// those of files below files.
func (c *contents) errors(fsys fs.FS) []*Error {
	if c == nil {
		return nil
	}
	return slices.AppendSeq(slices.Clone(fsys.(*memory).conflicts), maps.Values(c.faults))
}

// memory is a file system in memory. It is immutable: the next change of a file makes another one.
type memory struct {
	files     map[string]*memoryFile   // by path, folders among them
	folders   map[string][]fs.DirEntry // by path
	conflicts []*Error                 // of files below other files, which are hidden
}

// memoryFile is a file or a folder. It is immutable.
type memoryFile struct {
	name    string
	version int64  // differs for each content; 0 for a folder
	content []byte // nil if it is larger than what is kept
	size    int64
}

func folderAt(at string) *memoryFile { return &memoryFile{name: path.Base(at)} }

func newMemory(files map[string]*memoryFile) *memory {
	m := &memory{files: map[string]*memoryFile{".": folderAt(".")}, folders: make(map[string][]fs.DirEntry)}
	for _, at := range sortedKeys(files) { // a file comes before all below it
		above := path.Dir(at)
		for m.files[above] == nil {
			above = path.Dir(above)
		}
		if !m.files[above].IsDir() {
			m.conflicts = append(m.conflicts, newError(at, 0, 0, hint.New("rename one of the two", "path is below the file %s", shown(above))))
			continue
		}
		for f := files[at]; m.files[at] == nil; f = folderAt(at) {
			dir := path.Dir(at)
			m.files[at], m.folders[dir] = f, append(m.folders[dir], f)
			at = dir
		}
	}
	return m
}

// Open opens a file or a folder.
func (m *memory) Open(name string) (fs.File, error) {
	f, err := m.files[name], fs.ErrNotExist
	if !fs.ValidPath(name) {
		f, err = nil, fs.ErrInvalid
	}
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{memoryFile: f, content: bytes.NewReader(f.content), entries: m.folders[name]}, nil
}

var (
	_ fs.FileInfo = (*memoryFile)(nil)
	_ fs.DirEntry = (*memoryFile)(nil)
)

func (f *memoryFile) Info() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Name() string               { return f.name }
func (f *memoryFile) Size() int64                { return f.size }
func (f *memoryFile) IsDir() bool                { return f.version == 0 }
func (f *memoryFile) Type() fs.FileMode          { return f.Mode().Type() }
func (f *memoryFile) Sys() any                   { return nil }

func (f *memoryFile) Mode() fs.FileMode {
	if f.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// ModTime returns a time for each version, long enough ago for files with the
// same one to be taken for the same.
func (f *memoryFile) ModTime() time.Time { return time.Unix(f.version, 0) }

type openFile struct {
	*memoryFile
	content *bytes.Reader
	entries []fs.DirEntry // that are left
}

func (f *openFile) Close() error               { return nil }
func (f *openFile) Stat() (fs.FileInfo, error) { return f.memoryFile, nil }

func (f *openFile) Read(b []byte) (int, error) {
	if f.IsDir() {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	}
	return f.content.Read(b)
}

func (f *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
	switch {
	case !f.IsDir():
		return nil, &fs.PathError{Op: "readdir", Path: f.name, Err: fs.ErrInvalid}
	case n <= 0:
		n = len(f.entries)
	case len(f.entries) == 0:
		return nil, io.EOF
	}
	next := slices.Clone(f.entries[:min(n, len(f.entries))])
	f.entries = f.entries[len(next):]
	return next, nil
}
