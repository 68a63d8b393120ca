package promptoci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// This file keeps the last release in a folder, for a start without the store.

// cacheFile has the label and the digest of the release in the cache.
const cacheFile = "current"

// saveCache puts a release into the folder: into a layout of its own, then its name, and
// then removes the releases before.
func saveCache(ctx context.Context, dir, label string, r *Release) error {
	name := "release-" + r.Digest.Encoded()
	if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
		return err
	}
	if err := Push(ctx, NewLayout(filepath.Join(dir, name)), r); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(dir, cacheFile), fmt.Appendf(nil, "%s %s\n", label, r.Digest)); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "release-*"))
	for _, other := range old {
		if filepath.Base(other) != name {
			err = errors.Join(err, os.RemoveAll(other))
		}
	}
	return err
}

// fromCache serves the release in the cache, which is checked as one of a store.
func (f *Follower) fromCache(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(f.options.Cache, cacheFile))
	if err != nil {
		return err
	}
	label, d, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	_, hex, isDigest := strings.Cut(d, "sha256:")
	if !ok || !isDigest || label != f.label || strings.ContainsAny(hex, `/\`) {
		return fmt.Errorf("cache is of label %.80q or damaged", label)
	}
	store := NewLayout(filepath.Join(f.options.Cache, "release-"+hex))
	r, err := Pull(ctx, store, d, f.options.Limits)
	if err != nil {
		return err
	}
	if err := f.replace(ctx, r); err != nil {
		return err
	}
	f.set(ctx, func(s *Status) {
		s.Synced, s.FromCache, s.Release, s.Content, s.Since = false, true, r.Digest, r.Content, time.Now()
	})
	return nil
}
