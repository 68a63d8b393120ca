// Package regular reads files that others may replace at any time: by a pipe, a device, a
// link, or a file of any size. Only regular files are read, within a context and a limit.
//
// The modules that import the package have versions of their own: the package only gets additions.
package regular

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// LimitError reports a file of more than this many bytes.
type LimitError int64

func (e LimitError) Error() string {
	return fmt.Sprintf("file exceeds the limit of %d bytes", int64(e))
}

// TypeError reports a folder, a pipe, a device or a socket in the place of a file.
type TypeError string

func (e TypeError) Error() string { return string(e) }

// ErrFolder reports a folder in the place of a file.
const ErrFolder = TypeError("file expected, got a folder")

// Check returns an error unless a file is regular and has at most limit bytes.
func Check(info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return ErrFolder
	case !info.Mode().IsRegular():
		return TypeError("not a regular file")
	case info.Size() > limit:
		return LimitError(limit)
	}
	return nil
}

// maxWait is how long a file may have nothing to read, without being at its end. Some files of
// the system, such as /proc/kmsg, are regular and wait for their content.
const maxWait = time.Second

// Append appends the content of an open file, which may grow while it is read.
func Append(ctx context.Context, dst []byte, file fs.File, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := Check(info, limit); err != nil {
		return nil, err
	}
	ofSystem, canWait := file.(*os.File)
	begin := len(dst)
	dst = slices.Grow(dst, int(info.Size())+1) // which is as many as are read, if it has not grown
	for {
		canWait = canWait && ofSystem.SetReadDeadline(time.Now().Add(maxWait)) == nil // not if it is on a disk
		n, err := file.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case int64(len(dst)-begin) > limit: // it grows while it is read
			return nil, LimitError(limit)
		case errors.Is(err, io.EOF):
			return dst, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, TypeError("file waits for its content")
		case err != nil:
			return nil, err
		}
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
	}
}

// Read reads a file of a file system. A link must lead to a file of the same file system.
func Read(ctx context.Context, fsys fs.FS, name string, limit int64) ([]byte, error) {
	return within(ctx, func() ([]byte, error) {
		info, err := fs.Stat(fsys, name) // or the opening of a pipe would wait
		if err != nil {
			return nil, err
		}
		if err := Check(info, limit); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		file, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		content, err := Append(ctx, nil, file, limit)
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: bare(err)}
		}
		return content, nil
	})
}

// Open opens the file that a path leads to, for a file that the user names: links may lead
// anywhere.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name) // some devices act when they are opened
	if err != nil {
		return nil, err
	}
	check := func(info fs.FileInfo) error {
		if err := Check(info, info.Size()); err != nil {
			return &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return nil
	}
	if err := check(info); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(info)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// ReadFile reads the file that a path leads to, as [Open].
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	return within(ctx, func() ([]byte, error) {
		file, err := Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		content, err := Append(ctx, nil, file, limit)
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: bare(err)}
		}
		return content, nil
	})
}

// Replace writes a file in place of the file or the link with the name, if there is one. Readers
// find the old or the new content, and so they do after a crash of the system.
func Replace(name string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // which is of no use to anybody
	}
	return err
}

// within is UnlessEnded for a context that can end.
func within(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	return UnlessEnded(ctx, ctx.Done() != nil, read)
}

// UnlessEnded returns the result of f, or the error of ctx as soon as ctx ends. If f
// blocks, f keeps its goroutine until it returns.
func UnlessEnded[T any](ctx context.Context, blocks bool, f func() (T, error)) (T, error) {
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

// IsFile reports whether a name is of a regular file.
func IsFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// IsSame reports whether a file is the same as before, with the same content as far as its
// attributes say.
func IsSame(before, now fs.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.Mode() == now.Mode() &&
		before.ModTime().Equal(now.ModTime()) && Changed(before).Equal(Changed(now))
}

// Matches reports whether one of the patterns of [path.Match] matches the name of a file, its
// path, or its path with a slash in front.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc([]string{path.Base(name), name, "/" + name}, func(form string) bool {
			ok, _ := path.Match(pattern, form)
			return ok
		})
	})
}
