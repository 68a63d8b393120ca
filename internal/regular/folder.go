package regular

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

var (
	// ErrOutside reports a link that leads out of the folder.
	ErrOutside = errors.New("link points outside of the folder")
	// ErrLoop reports links that lead to one another.
	ErrLoop = errors.New("link loop")
	// ErrHidden reports a link to a name that begins with a dot.
	ErrHidden = errors.New("link points to a name that begins with a dot")
	// errReplaced reports a name that changed between two looks at the name.
	errReplaced = errors.New("file was replaced while it was being read")
)

// Dir is a directory of the operating system. Other processes may change the directory at
// any time. So a path names only what is there without links, and no method blocks at a pipe.
type Dir struct{ root *os.Root }

var _ interface {
	fs.ReadLinkFS
	fs.StatFS
} = Dir{}

// OpenDir opens a directory, and fails without blocking if the path is a pipe.
func OpenDir(path string) (Dir, error) {
	root, err := os.OpenRoot(path + "/.")
	return Dir{root}, err
}

func (d Dir) Close() { _ = d.root.Close() } // which was only read from

// Open opens a regular file or a folder whose path has no links.
func (d Dir) Open(name string) (f fs.File, err error) {
	err = d.in(name, func(parent *os.Root, base string) error {
		before, err := linkless(Dir{parent}, base, "")
		if err == nil && !before.IsDir() {
			err = Check(before, before.Size()) // not every system can open a pipe without waiting
		}
		if err != nil {
			return err
		}
		file, err := parent.OpenFile(base, os.O_RDONLY|nonblock, 0)
		if err != nil {
			return err
		}
		if opened, err := file.Stat(); err != nil || !os.SameFile(before, opened) {
			_ = file.Close() // nothing was written
			return errors.Join(err, errReplaced)
		}
		f = file
		return nil
	})
	return f, err
}

// Stat returns what a path without links names.
func (d Dir) Stat(name string) (info fs.FileInfo, err error) {
	err = d.in(name, func(parent *os.Root, base string) error {
		info, err = linkless(Dir{parent}, base, "")
		return err
	})
	return info, err
}

// Lstat returns what a path names, which may be a link.
func (d Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// ReadLink returns the target of a link.
func (d Dir) ReadLink(name string) (string, error) { return d.root.Readlink(name) }

// attempts is how often a path is followed while files are being replaced, as editors do.
const attempts = 3

// in calls last with the folder of a path and the last name of the path.
func (d Dir) in(name string, last func(parent *os.Root, base string) error) (err error) {
	for range attempts {
		if err = d.descend(name, last); !errors.Is(err, errReplaced) {
			break
		}
	}
	return err
}

// descend is in without another attempt. It opens each folder of the path once, so that the work is
// linear in the depth. Each folder that is opened is the one that had the name, and not the target
// of a link that was put in its place: a link and its target are different files.
func (d Dir) descend(name string, last func(parent *os.Root, base string) error) error {
	first, rest, more := strings.Cut(name, "/")
	if !more {
		return last(d.root, name)
	}
	before, err := linkless(d, first, name[len(first):])
	if err != nil {
		return err
	}
	next, err := d.root.OpenRoot(first + "/.") // which opens nothing but a folder
	if err != nil {
		return err
	}
	defer next.Close()
	if opened, err := next.Stat("."); err != nil || !os.SameFile(before, opened) {
		return errors.Join(err, errReplaced)
	}
	return Dir{next}.descend(rest, last)
}

// linkError reports the first link in a path. behind is the rest of the path,
// which is empty or begins with a slash.
type linkError struct{ target, behind string }

func (linkError) Error() string { return "path has a symbolic link" }

// linkless returns what a path names, or a linkError.
func linkless(links fs.ReadLinkFS, at, behind string) (fs.FileInfo, error) {
	info, err := links.Lstat(at)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		var target string
		if target, err = links.ReadLink(at); err == nil {
			err = linkError{target, behind}
		}
	}
	return info, err
}

// FS has the files of the directory at a path. Unlike a [Dir], it follows links to other
// files of the directory, unless a name in the path of the target begins with a dot. Each
// call opens the directory.
type FS string

var _ interface {
	fs.ReadLinkFS
	fs.StatFS
} = FS("")

func (f FS) Open(name string) (file fs.File, err error) {
	err = f.at("open", name, func(d Dir, real string) error {
		file, err = d.Open(real)
		return err
	})
	return file, err
}

// Stat returns what a path leads to.
func (f FS) Stat(name string) (info fs.FileInfo, err error) {
	err = f.at("stat", name, func(d Dir, real string) error {
		info, err = d.Stat(real)
		return err
	})
	return info, err
}

// Lstat returns what a path names, which may be a link.
func (f FS) Lstat(name string) (fs.FileInfo, error) {
	d, err := OpenDir(string(f))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Lstat(name)
}

func (f FS) ReadLink(name string) (string, error) {
	d, err := OpenDir(string(f))
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.ReadLink(name)
}

func (f FS) at(op, name string, do func(d Dir, real string) error) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	d, err := OpenDir(string(f))
	if err != nil {
		return err
	}
	defer d.Close()
	err = do(d, name)
	if errors.As(err, new(linkError)) {
		real, failed := Resolve(d, name)
		switch {
		case failed != nil:
			err = &fs.PathError{Err: bare(failed)}
		case IsHidden(real):
			err = &fs.PathError{Err: ErrHidden}
		default:
			if err = do(d, real); errors.As(err, new(linkError)) {
				err = errReplaced
			}
		}
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) { // d names only a part of the path
		err = &fs.PathError{Op: op, Path: name, Err: p.Err}
	}
	return err
}

// bare returns an error without the path of a part.
func bare(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// maxLinks is how many links may follow one another.
const maxLinks = 40

// Resolve returns a path without links. No link may lead out of the file system.
func Resolve(links fs.ReadLinkFS, name string) (string, error) {
	if f, ok := links.(FS); ok {
		d, err := OpenDir(string(f))
		if err != nil {
			return "", err
		}
		defer d.Close()
		links = d
	}
	for range maxLinks + 1 {
		err := findLink(links, name)
		l, ok := err.(linkError)
		switch {
		case err == nil:
			return name, nil
		case !ok:
			return "", err
		case filepath.IsAbs(l.target) || path.IsAbs(l.target):
			return "", ErrOutside
		}
		name = path.Join(path.Dir(strings.TrimSuffix(name, l.behind)), filepath.ToSlash(l.target), l.behind)
		if name == ".." || strings.HasPrefix(name, "../") {
			return "", ErrOutside
		}
	}
	return "", ErrLoop
}

// findLink returns a linkError if a path has a link.
func findLink(links fs.ReadLinkFS, name string) error {
	if d, ok := links.(Dir); ok { // whose Lstat would open all folders of each path
		_, err := d.Stat(name)
		return err
	}
	for end := range len(name) + 1 {
		if end == len(name) || name[end] == '/' {
			if _, err := linkless(links, name[:end], name[end:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsHidden reports whether a name of a path begins with a dot. Kubernetes gives names
// that begin with two dots to the folders of a volume, whose files are links.
func IsHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && !strings.HasPrefix(part, "..") && part != "." {
			return true
		}
	}
	return false
}
