package promptoci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/regular"
)

// This file keeps the last release in a folder, for a start without the store.

const (
	// cacheFile has the label and the digest of the release in the cache.
	cacheFile = "current"
	// cacheMark marks a folder as a cache. The file is the lock of the cache.
	cacheMark = ".prompts-cache"
)

// cached is the form of the names that a cache removes: of releases, and of files that were
// not written to their end.
var cached = regexp.MustCompile(`^(release-[0-9a-f]{64}|\.new-[0-9]+)$`)

// cache is the folder of the last release. Its methods are called by one goroutine at a time.
type cache struct {
	dir  string
	lock *flock.Flock // nil until the cache is in use
}

// open marks the folder, and keeps others from using it until close.
func (c *cache) open() error {
	if c.lock != nil {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	mark := filepath.Join(c.dir, cacheMark)
	if _, err := os.Lstat(mark); errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(c.dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() == cacheFile || cached.MatchString(e.Name()) {
				return fmt.Errorf("folder %s has %s and is not marked as a cache; give an empty folder", c.dir, e.Name())
			}
		}
	}
	lock, err := newLock(mark)
	if err != nil {
		return err
	}
	switch isLocked, err := lock.TryLock(); { // which creates the file
	case err != nil:
		return lockError(c.dir, err)
	case !isLocked:
		return fmt.Errorf("folder %s is the cache of another server; give each server a folder of its own", c.dir)
	}
	c.lock = lock
	return nil
}

func (c *cache) close() {
	if c.lock != nil {
		_ = c.lock.Close() // the end of the process does that, too
		c.lock = nil
	}
}

// save puts a release into the folder: into a layout of its own, then its name, and
// then removes the releases before.
func (c *cache) save(ctx context.Context, label string, r *Release) error {
	if err := c.open(); err != nil {
		return err
	}
	name := "release-" + r.Digest.Encoded()
	at := filepath.Join(c.dir, name)
	if info, err := os.Lstat(at); err == nil && !info.IsDir() { // such as a link to another folder
		return fmt.Errorf("%s: not a folder", at)
	}
	if err := Push(ctx, layout{at}, r); err != nil {
		return err
	}
	if err := regular.Replace(filepath.Join(c.dir, cacheFile), fmt.Appendf(nil, "%s %s\n", label, r.Digest), 0o644); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.dir)
	for _, e := range entries {
		if e.Name() != name && cached.MatchString(e.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, e.Name())))
		}
	}
	return err
}

// fromCache serves the release in the cache, which is checked as one of a store.
func (f *Follower) fromCache(ctx context.Context) error {
	text, err := regular.ReadFile(ctx, filepath.Join(f.options.Cache, cacheFile), maxSmallFile)
	if err != nil {
		return err
	}
	label, d, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	_, hex, isDigest := strings.Cut(d, "sha256:")
	if !ok || !isDigest || label != f.label || strings.ContainsAny(hex, `/\`) {
		return fmt.Errorf("cache is of label %s or damaged", phrase.Quote(label))
	}
	store := layout{filepath.Join(f.options.Cache, "release-"+hex)}
	r, err := Pull(ctx, store, d, f.options.Limits)
	if err != nil {
		return err
	}
	if err := f.replace(ctx, r); err != nil {
		return err
	}
	f.core.Set(ctx, func(s *Status) {
		s.Synced, s.FromCache, s.Release, s.Content, s.Since = false, true, r.Digest, r.Content, time.Now()
	})
	return nil
}
