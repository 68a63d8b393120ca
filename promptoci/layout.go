package promptoci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/regular"
)

// layout is the store in a folder: see [Open].
type layout struct{ dir string }

var (
	_ Store   = layout{}
	_ swapper = layout{}
)

// maxIndex is the maximum size of the index of a layout in bytes.
const maxIndex = 64 << 20

// maxSmallFile is the maximum size of a file with the version of a layout, or with the label of a
// cache, in bytes.
const maxSmallFile = 64 << 10

func (l layout) blob(d digest.Digest) (string, error) {
	if err := d.Validate(); err != nil || d.Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("invalid digest %s: %w", phrase.Quote(d.String()), errdef.ErrInvalidDigest)
	}
	return filepath.Join(l.dir, ocispec.ImageBlobsDir, "sha256", d.Encoded()), nil
}

// Fetch opens content by its digest.
func (l layout) Fetch(ctx context.Context, d ocispec.Descriptor) (io.ReadCloser, error) {
	name, err := l.blob(d.Digest)
	if err != nil {
		return nil, err
	}
	f, err := regular.UnlessEnded(ctx, ctx.Done() != nil, func() (*os.File, error) { return regular.Open(name) })
	if err != nil {
		return nil, notFound(err, d.Digest.String())
	}
	if info, err := f.Stat(); err != nil || info.Size() < d.Size { // some files of the system wait for their content
		return nil, errors.Join(err, f.Close(), fmt.Errorf("%s: %w", d.Digest, io.ErrUnexpectedEOF))
	}
	return f, nil
}

func notFound(err error, what string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", what, errdef.ErrNotFound)
	}
	return err
}

// Exists reports whether the store has the content.
func (l layout) Exists(_ context.Context, d ocispec.Descriptor) (bool, error) {
	name, err := l.blob(d.Digest)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Size() == d.Size, err
}

// Push writes content, which must have the digest and the size of its descriptor.
func (l layout) Push(_ context.Context, d ocispec.Descriptor, r io.Reader) error {
	name, err := l.blob(d.Digest)
	if err != nil {
		return err
	}
	text, err := content.ReadAll(r, d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return regular.Replace(name, text, 0o644)
}

// index reads the tags. An empty store has no index.
func (l layout) index(ctx context.Context) (*ocispec.Index, error) {
	index := &ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex}
	name := filepath.Join(l.dir, ocispec.ImageIndexFile)
	text, err := regular.ReadFile(ctx, name, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err != nil {
		return nil, err
	}
	read := struct {
		*ocispec.Index
		Manifests entries `json:"manifests"` // in place of that of the index
	}{Index: index}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	index.Manifests = read.Manifests
	return index, nil
}

// newLock returns the lock of a file, which a lock creates. Users who may write to the folder
// may lock it, and others may not.
func newLock(name string) (*flock.Flock, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // the opening of a pipe would wait
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	mode := fs.FileMode(0o600)
	if dir, err := os.Stat(filepath.Dir(name)); err == nil {
		write := dir.Mode() & 0o222
		mode |= write | write<<1 // with the right to read
	}
	return flock.New(name, flock.SetPermissions(mode)), nil
}

func lockError(dir string, err error) error {
	fix := ""
	switch {
	case errors.Is(err, fs.ErrPermission):
		fix = "; the folder is of another user, so use another folder, or let a group of both users write to the folder"
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		fix = "; the file system has no file locks, so use a folder on another file system, such as a local disk"
	}
	return fmt.Errorf("cannot lock %s: %w%s", dir, err, fix)
}

// errIndex is of an index that is read, and of one that would be written.
var errIndex = fmt.Errorf("index exceeds the limit of %d tags or %d bytes; remove tags, or use another folder", maxTags, maxIndex)

// entries are the tags of an index. Each takes more memory than its shortest text, so their
// number is limited while they are read.
type entries []ocispec.Descriptor

// UnmarshalJSON reads a list.
func (e *entries) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	start, err := d.Token()
	if start == nil || err != nil {
		return err // null is an empty list
	}
	if start != json.Delim('[') {
		return errors.New("manifests must be a list")
	}
	for d.More() {
		if len(*e) == maxTags {
			return errIndex
		}
		var entry ocispec.Descriptor
		if err := d.Decode(&entry); err != nil {
			return err
		}
		*e = append(*e, entry)
	}
	return nil
}

// resolver returns Resolve for the tags that the index has now. It reads the index once.
func (l layout) resolver(ctx context.Context) (func(ctx context.Context, tag string) (ocispec.Descriptor, error), error) {
	index, err := l.index(ctx)
	if err != nil {
		return nil, err
	}
	tags := make(map[string]ocispec.Descriptor, len(index.Manifests))
	for _, d := range slices.Backward(index.Manifests) { // the first one wins
		tags[d.Annotations[ocispec.AnnotationRefName]] = ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
	}
	return func(_ context.Context, tag string) (ocispec.Descriptor, error) {
		d, ok := tags[tag]
		if !ok {
			return d, fmt.Errorf("%s: %w", tag, errdef.ErrNotFound)
		}
		return d, nil
	}, nil
}

func isTagged(d ocispec.Descriptor, tag string) bool {
	return d.Annotations[ocispec.AnnotationRefName] == tag
}

// Resolve returns the descriptor of a tag, or of the digest of a manifest.
func (l layout) Resolve(ctx context.Context, reference string) (ocispec.Descriptor, error) {
	if d := digest.Digest(reference); d.Validate() == nil {
		name, err := l.blob(d)
		if err != nil {
			return ocispec.Descriptor{}, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return ocispec.Descriptor{}, notFound(err, reference)
		}
		return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: d, Size: info.Size()}, nil
	}
	index, err := l.index(ctx)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	for _, d := range index.Manifests {
		if isTagged(d, reference) {
			return ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}, nil
		}
	}
	return ocispec.Descriptor{}, fmt.Errorf("%s: %w", reference, errdef.ErrNotFound)
}

// Tags lists the tags after last, in order.
func (l layout) Tags(ctx context.Context, last string, f func(tags []string) error) error {
	index, err := l.index(ctx)
	if err != nil {
		return err
	}
	var tags []string
	for _, d := range index.Manifests {
		if tag := d.Annotations[ocispec.AnnotationRefName]; tag > last {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return f(tags)
}

// Tag moves a tag, whatever it is at.
func (l layout) Tag(ctx context.Context, d ocispec.Descriptor, tag string) error {
	return l.tag(ctx, d, tag, func(digest.Digest) error { return nil })
}

func (l layout) tagIf(ctx context.Context, d ocispec.Descriptor, tag string, from digest.Digest) error {
	return l.tag(ctx, d, tag, func(now digest.Digest) error {
		if now != from {
			return ErrMoved
		}
		return nil
	})
}

func (l layout) tag(ctx context.Context, d ocispec.Descriptor, tag string, check func(now digest.Digest) error) error {
	if ok, err := l.Exists(ctx, d); err != nil || !ok {
		return errors.Join(err, fmt.Errorf("%s: %w", d.Digest, errdef.ErrNotFound))
	}
	lock, err := newLock(filepath.Join(l.dir, ".lock"))
	if err == nil {
		_, err = lock.TryLockContext(ctx, lockWait)
	}
	if err != nil {
		return lockError(l.dir, err)
	}
	defer lock.Unlock() // the end of the process unlocks it, too
	index, err := l.index(ctx)
	if err != nil {
		return err
	}
	now := digest.Digest("")
	at := slices.IndexFunc(index.Manifests, func(other ocispec.Descriptor) bool { return isTagged(other, tag) })
	if at >= 0 {
		now = index.Manifests[at].Digest
	}
	if err := check(now); err != nil {
		return err
	}
	entry := ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Annotations: map[string]string{ocispec.AnnotationRefName: tag}}
	if at >= 0 {
		index.Manifests[at] = entry
	} else {
		index.Manifests = append(index.Manifests, entry)
	}
	text, err := json.Marshal(index)
	switch {
	case err != nil:
		return err
	case len(index.Manifests) > maxTags || len(text) > maxIndex:
		return errIndex
	}
	version := filepath.Join(l.dir, ocispec.ImageLayoutFile)
	if have, _ := regular.ReadFile(ctx, version, maxSmallFile); !bytes.Contains(have, []byte(ocispec.ImageLayoutVersion)) {
		if err := regular.Replace(version, []byte(`{"imageLayoutVersion":"`+ocispec.ImageLayoutVersion+`"}`), 0o644); err != nil {
			return err
		}
	}
	return regular.Replace(filepath.Join(l.dir, ocispec.ImageIndexFile), text, 0o644)
}
