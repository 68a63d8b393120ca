package promptfs

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// memory is a file system in memory. It may be read from several goroutines at
// once, but not while it is changed.
//
// If a path is a file, the files below it are hidden. They are kept, and become
// visible when the file is removed.
type memory struct {
	root    node
	changes int64
	both    int // files with others below them
}

// node is a file, or a folder; or both, and seen as the file.
type node struct {
	children map[string]*node
	// The file. version is 0 if the node is not a file, and differs for each content.
	version int64
	content []byte // nil if it is larger than what is kept
	size    int64
}

// at returns the node of a path, or nil if the path does not exist.
func (m *memory) at(name string) *node {
	n := &m.root
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n.version > 0 {
			return nil
		}
		if n = n.children[part]; n == nil {
			return nil
		}
	}
	return n
}

// set writes a file, of which no more than most bytes are kept. It reports
// whether that changes it, and whether it has changed what there is of others.
func (m *memory) set(name string, content []byte, most int64) (changed, others bool) {
	n, covered := &m.root, false
	for part := range strings.SplitSeq(name, "/") {
		covered = covered || n.version > 0
		if n.children == nil {
			n.children = map[string]*node{}
			if n.version > 0 {
				m.both++
			}
		}
		if n.children[part] == nil {
			n.children[part] = &node{}
		}
		n = n.children[part]
	}
	size := int64(len(content))
	if size > most {
		content = nil
	} else if content == nil {
		content = []byte{}
	}
	if n.version > 0 && n.content != nil && content != nil && bytes.Equal(n.content, content) {
		return false, false
	}
	if n.version == 0 && n.children != nil {
		m.both++
		others = true
	}
	m.changes++
	n.version, n.content, n.size = m.changes, content, size
	return true, others || covered
}

// remove removes a file, and reports what [memory.set] does.
func (m *memory) remove(name string) (changed, others bool) {
	way := []*node{&m.root}
	parts := strings.Split(name, "/")
	for _, part := range parts {
		n := way[len(way)-1].children[part]
		if n == nil {
			return false, false
		}
		way = append(way, n)
	}
	n := way[len(parts)]
	if n.version == 0 {
		return false, false
	}
	*n = node{children: n.children}
	if n.children != nil {
		m.both--
		return true, true
	}
	for i := len(parts) - 1; i >= 0; i-- { // the folders that are empty now
		if below := way[i+1]; below.version > 0 || below.children != nil {
			break
		}
		if delete(way[i].children, parts[i]); len(way[i].children) == 0 {
			if way[i].children = nil; way[i].version > 0 {
				m.both--
				others = true
			}
		}
	}
	return true, others
}

// conflicts returns an error for each file that is below another file.
func (m *memory) conflicts() []*Error {
	if m.both == 0 {
		return nil
	}
	var all []*Error
	var walk func(n *node, at, above string)
	walk = func(n *node, at, above string) {
		if n.version > 0 {
			if above != "" {
				all = append(all, newError(at, 0, 0, hint.New("rename one of the two", "path is below the file %s", shown(above))))
			} else {
				above = at
			}
		}
		for _, name := range sortedKeys(n.children) {
			walk(n.children[name], path.Join(at, name), above)
		}
	}
	walk(&m.root, "", "")
	return all
}

// paths returns those of all files, in no order.
func (m *memory) paths() []string {
	var all []string
	var walk func(n *node, at string)
	walk = func(n *node, at string) {
		if n.version > 0 {
			all = append(all, at)
		}
		for name, below := range n.children {
			walk(below, path.Join(at, name))
		}
	}
	walk(&m.root, "")
	return all
}

var (
	_ fs.ReadDirFS = (*memory)(nil)
	_ fs.StatFS    = (*memory)(nil)
)

// find is at with the errors of a file system.
func (m *memory) find(op, name string) (*memoryFile, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := m.at(name)
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return &memoryFile{node: n, name: path.Base(name)}, nil
}

func (m *memory) Open(name string) (fs.File, error) {
	f, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	f.Reader.Reset(f.node.content)
	return f, nil
}

func (m *memory) Stat(name string) (fs.FileInfo, error) {
	f, err := m.find("stat", name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := m.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !f.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return f.node.entries(), nil
}

func (n *node) entries() []fs.DirEntry {
	entries := make([]fs.DirEntry, 0, len(n.children))
	for _, name := range sortedKeys(n.children) {
		entries = append(entries, &memoryFile{node: n.children[name], name: name})
	}
	return entries
}

// memoryFile is a file or a folder that is open, and what can be said of it.
type memoryFile struct {
	bytes.Reader
	node *node
	name string
	read int // entries of the folder
}

var (
	_ fs.ReadDirFile = (*memoryFile)(nil)
	_ fs.FileInfo    = (*memoryFile)(nil)
	_ fs.DirEntry    = (*memoryFile)(nil)
)

func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Info() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Name() string               { return f.name }
func (f *memoryFile) Size() int64                { return f.node.size }
func (f *memoryFile) IsDir() bool                { return f.node.version == 0 }
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
func (f *memoryFile) ModTime() time.Time { return time.Unix(f.node.version, 0) }

func (f *memoryFile) Read(b []byte) (int, error) {
	if f.IsDir() {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	}
	return f.Reader.Read(b)
}

func (f *memoryFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: f.name, Err: fs.ErrInvalid}
	}
	entries := f.node.entries()[f.read:]
	if n > 0 {
		if len(entries) == 0 {
			return nil, io.EOF
		}
		entries = entries[:min(n, len(entries))]
	}
	f.read += len(entries)
	return entries, nil
}
