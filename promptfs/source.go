package promptfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/promptfs/internal/hint"
)

// source is where files are read from.
type source struct {
	fsys    fs.FS
	links   fs.ReadLinkFS // nil if there are no links
	options *Options
	now     time.Time     // when the reading began
	quiet   time.Duration // for how long a file must not have changed by then
	blocks  bool          // opening a file may block
	forms   sync.Map      // names in NFC to names, by folder: see inOtherForm
	warned  atomic.Int64  // number of warnings, of which maxLogged are logged
}

func newSource(fsys fs.FS, o *Options) *source {
	links, _ := fsys.(fs.ReadLinkFS)
	s := &source{fsys: fsys, links: links, options: o, now: time.Now(), blocks: true}
	switch fsys.(type) {
	case directory, *memory:
		s.blocks = false
	}
	return s
}

// coarse is the coarsest resolution of modification times: a file system may give
// two changes within coarse the same time.
const coarse = 2 * time.Second

// stamp is what can be seen of a file without reading it. Files of equal ones
// have equal contents, if they are settled.
type stamp struct {
	real     string // the path without links
	size     int64
	modified time.Time
	mode     fs.FileMode
	// settled says that the file had not been changed for a while, so that
	// another change has another time.
	settled bool
}

func (s *source) stampOf(real string, info fs.FileInfo) stamp {
	m := info.ModTime()
	return stamp{real, info.Size(), m, info.Mode(), !m.IsZero() && m.Before(s.now.Add(-coarse))}
}

// same reports whether a file that had the stamp before and now has this one
// need not be read.
func (s stamp) same(before stamp) bool {
	return before.settled && s.real == before.real && s.size == before.size && s.mode == before.mode && s.modified.Equal(before.modified)
}

var (
	errOutside = errors.New("link points outside of the folder")
	errCircle  = errors.New("link loop")
	errDotfile = errors.New("name begins with a dot")
	// errNoFolder is said of what stands in the place of the partials.
	errNoFolder = hint.New("move the file", "folder expected, got a file")
)

// maxLinks is how many links may follow one another.
const maxLinks = 40

// resolve returns the path without links. A link to a dotfile is an error.
func (s *source) resolve(name string) (string, error) {
	real, err := s.withoutLinks(name)
	if err == nil && real != name && s.isDotfile(real) {
		return "", errDotfile
	}
	return real, err
}

// isDotfile reports whether a name of the path begins with a dot. Kubernetes gives names
// that begin with two dots to the folders of a volume, whose files are links. The folder
// of partials may have any name.
func (s *source) isDotfile(name string) bool {
	if rest, ok := strings.CutPrefix(name+"/", s.options.Partials+"/"); ok {
		name = rest
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && !strings.HasPrefix(part, "..") && part != "." {
			return true
		}
	}
	return false
}

func (s *source) withoutLinks(name string) (string, error) {
	if s.links == nil {
		return name, nil
	}
	hops := 0
	done, rest := "", name
	for rest != "" {
		first, more, _ := strings.Cut(rest, "/")
		at := path.Join(done, first)
		info, err := s.links.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done, rest = at, more
			continue
		}
		if hops++; hops > maxLinks {
			return "", errCircle
		}
		target, err := s.links.ReadLink(at)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) || path.IsAbs(target) {
			return "", errOutside
		}
		rest = path.Join(path.Dir(at), filepath.ToSlash(target), more)
		if rest == ".." || strings.HasPrefix(rest, "../") {
			return "", errOutside
		}
		done = ""
		if rest == "." {
			return ".", nil
		}
	}
	return done, nil
}

// stat returns the stamp of what a path leads to.
func (s *source) stat(name string) (stamp, fs.FileInfo, error) {
	real, err := s.resolve(name)
	if err != nil {
		return stamp{}, nil, err
	}
	info, err := fs.Stat(s.fsys, real)
	if err != nil {
		return stamp{}, nil, err
	}
	return s.stampOf(real, info), info, nil
}

// checkSize rejects what cannot be read as a file of limited size.
func checkSize(info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return errors.New("file expected, got a folder")
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case info.Size() > limit:
		return tooLarge(limit)
	}
	return nil
}

func tooLarge(limit int64) error {
	return hint.New("shorten the file", "file exceeds the limit of %d bytes", limit)
}

// readDir lists a folder, by name.
func (s *source) readDir(ctx context.Context, real string) ([]fs.DirEntry, error) {
	return unlessEnded(ctx, s.blocks, func() ([]fs.DirEntry, error) { return fs.ReadDir(s.fsys, real) })
}

// unlessEnded returns the result of f, or the error of ctx as soon as ctx ends. If f
// blocks, f keeps its goroutine until it returns.
func unlessEnded[T any](ctx context.Context, blocks bool, f func() (T, error)) (T, error) {
	if !blocks {
		return f()
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result)
	go func() {
		value, err := f()
		select {
		case results <- result{value, err}:
		case <-ctx.Done():
			if file, ok := any(value).(io.Closer); ok && err == nil {
				_ = file.Close() // nothing was written
			}
		}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// read reads a file that has been looked at. What is opened may be another file.
func (s *source) read(ctx context.Context, real string, info fs.FileInfo, limit int64) ([]byte, error) {
	return s.appendFile(ctx, nil, real, info, limit)
}

// appendFile is read into a buffer.
func (s *source) appendFile(ctx context.Context, content []byte, real string, info fs.FileInfo, limit int64) ([]byte, error) {
	if err := checkSize(info, limit); err != nil {
		return nil, err
	}
	file, err := unlessEnded(ctx, s.blocks, func() (fs.File, error) { return s.fsys.Open(real) })
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, unreadable(err)
	}
	if err := checkSize(info, limit); err != nil {
		return nil, err
	}
	content = slices.Grow(content, int(info.Size())+1) // which is as many as are read, if it has not grown
	for {
		n, err := file.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case int64(len(content)) > limit: // it grows while it is read
			return nil, tooLarge(limit)
		case errors.Is(err, io.EOF):
			return content, nil
		case err != nil:
			return nil, unreadable(err)
		}
		if len(content) == cap(content) {
			content = append(content, 0)[:len(content)]
		}
	}
}

// unreadable returns an error of a file system in words that fit behind the
// path, which the error may have too.
func unreadable(err error) error {
	var p *fs.PathError
	switch {
	case errors.Is(err, errOutside):
		return hint.New("copy the file into the folder", "symbolic link points outside of the prompts folder")
	case errors.Is(err, errCircle):
		return hint.New("point the link to a file", "symbolic link loop")
	case errors.Is(err, errDotfile):
		return hint.New("rename the target", "symbolic link to a dotfile: a name in the path of its target begins with a dot")
	case errors.Is(err, errNoFolder):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("file not found")
	case errors.As(err, &p):
		return fmt.Errorf("cannot read file: %w", p.Err)
	}
	return fmt.Errorf("cannot read file: %w", err)
}
