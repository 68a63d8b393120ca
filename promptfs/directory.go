package promptfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// directory is a directory of the operating system. Other processes may change the
// directory at any time. So a path names only what is there without links, and
// opening a pipe does not block.
type directory struct{ root *os.Root }

var _ interface {
	fs.ReadLinkFS
	fs.StatFS
} = directory{}

// openDirectory opens a directory, and fails without blocking if the path is a pipe.
func openDirectory(path string) (directory, error) {
	root, err := os.OpenRoot(path + "/.")
	return directory{root}, err
}

// errReplaced says that a name of a path changed between two looks at it.
var errReplaced = errors.New("file was replaced while it was being read")

// attempts is how often a file is opened that is being replaced, as editors do.
const attempts = 3

func (d directory) Open(name string) (f fs.File, err error) {
	for range attempts {
		err = d.in(name, func(parent *os.Root, base string) error {
			before, err := parent.Lstat(base)
			if err != nil {
				return err
			}
			file, err := parent.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, err
}

func (d directory) Stat(name string) (info fs.FileInfo, err error) {
	err = d.in(name, func(parent *os.Root, base string) error {
		info, err = parent.Lstat(base)
		return err
	})
	return info, err
}

func (d directory) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

func (d directory) ReadLink(name string) (string, error) { return d.root.Readlink(name) }

// in calls last with the folder of a path and the last name of the path. Each folder
// that is opened is the one that had the name, and not the target of a link that was
// put in its place: a link and its target are different files.
func (d directory) in(name string, last func(parent *os.Root, base string) error) error {
	first, rest, more := strings.Cut(name, "/")
	if !more {
		return last(d.root, name)
	}
	before, err := d.root.Lstat(first)
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
	return directory{next}.in(rest, last)
}
