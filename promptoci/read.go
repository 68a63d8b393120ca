package promptoci

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/promptfs"
)

// This file reads a release with Pull, and checks what a store returns: a release of the exact form
// that format.go makes, or an error. Everything is bounded before it is read.

// Limits limits the size of a release that [Pull] accepts. The zero value of each field is
// its default.
type Limits struct {
	// MaxManifestBytes is the maximum size of the manifest. Default: 256 KiB.
	MaxManifestBytes int
	// MaxConfigBytes is the maximum size of the list of files. Default: 8 MiB.
	MaxConfigBytes int
	// MaxLayerBytes is the maximum size of the layer. Default: 64 MiB.
	MaxLayerBytes int
	// MaxContentBytes is the maximum size of all files together. Default: 64 MiB.
	MaxContentBytes int
	// MaxFiles is the maximum number of files. Default: 20,000.
	MaxFiles int
}

const (
	defaultMaxManifestBytes = 256 << 10
	defaultMaxConfigBytes   = 8 << 20
	defaultMaxLayerBytes    = 64 << 20
	defaultMaxContentBytes  = 64 << 20
	defaultMaxFiles         = 20_000
)

func (l Limits) filled() Limits {
	return Limits{
		MaxManifestBytes: cmp.Or(l.MaxManifestBytes, defaultMaxManifestBytes),
		MaxConfigBytes:   cmp.Or(l.MaxConfigBytes, defaultMaxConfigBytes),
		MaxLayerBytes:    cmp.Or(l.MaxLayerBytes, defaultMaxLayerBytes),
		MaxContentBytes:  cmp.Or(l.MaxContentBytes, defaultMaxContentBytes),
		MaxFiles:         cmp.Or(l.MaxFiles, defaultMaxFiles),
	}
}

// Pull reads a release by a tag or a digest. The tag is resolved once. All content is read
// by digest and checked before use: see [ErrInvalid]. Pull keeps the
// release in memory and writes nothing.
func Pull(ctx context.Context, s Store, tagOrDigest string, l Limits) (*Release, error) {
	if err := option.Check("promptoci: Pull", l, "store", s); err != nil {
		return nil, err
	}
	d, err := s.Resolve(ctx, tagOrDigest)
	if err != nil {
		return nil, fmt.Errorf("promptoci: %w", err)
	}
	return pull(ctx, s, d, l.filled())
}

func pull(ctx context.Context, s Store, d ocispec.Descriptor, l Limits) (*Release, error) {
	m, text, err := fetchManifest(ctx, s, d, l)
	if err != nil {
		return nil, err
	}
	r := &Release{Digest: d.Digest, Content: m.Config.Digest, Info: infoOf(m), manifest: text}
	if r.config, err = fetch(ctx, s, m.Config); err != nil {
		return nil, err
	}
	files, err := readConfig(r.config, l)
	if err != nil {
		return nil, err
	}
	if r.layer, err = fetch(ctx, s, m.Layers[0]); err != nil {
		return nil, err
	}
	r.Files, err = unpack(r.layer, r.config, files)
	return r, err
}

func fetchManifest(ctx context.Context, s Store, d ocispec.Descriptor, l Limits) (ocispec.Manifest, []byte, error) {
	if err := checkDescriptor("manifest", d, ocispec.MediaTypeImageManifest, l.MaxManifestBytes, l); err != nil {
		return ocispec.Manifest{}, nil, err
	}
	text, err := fetch(ctx, s, d)
	if err != nil {
		return ocispec.Manifest{}, nil, err
	}
	m, err := readManifest(text, l)
	return m, text, err
}

// errDamaged is an error of a transfer: the content has another digest or size.
var errDamaged = errors.New("damaged content")

// fetch reads content whose size has been checked, and checks its digest.
func fetch(ctx context.Context, s Store, d ocispec.Descriptor) ([]byte, error) {
	text, err := content.FetchAll(ctx, s, ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size})
	switch {
	case errors.Is(err, content.ErrMismatchedDigest) || errors.Is(err, content.ErrTrailingData) || errors.Is(err, content.ErrInvalidDescriptorSize):
		return nil, fmt.Errorf("promptoci: %w: %w: %w", ErrInvalid, errDamaged, err)
	case err != nil:
		return nil, fmt.Errorf("promptoci: %w", err)
	}
	return text, nil
}

func (l Limits) check(what string, n int64, most int) error {
	if n < 0 || n > int64(most) {
		return invalid("%s exceeds the limit of %d, got %d", what, most, n)
	}
	return nil
}

// ErrInvalid reports content other than a release, such as an image, or a release that is
// damaged, forged or above one of the [Limits].
var ErrInvalid = errors.New("not a valid release")

func invalid(format string, args ...any) error {
	return fmt.Errorf("promptoci: %w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// checkDescriptor returns an error unless the content may be fetched.
func checkDescriptor(what string, d ocispec.Descriptor, mediaType string, most int, l Limits) error {
	switch {
	case d.MediaType != mediaType:
		return invalid("%s has the media type %q, expected %q", what, d.MediaType, mediaType)
	case d.Digest.Validate() != nil || d.Digest.Algorithm() != digest.SHA256:
		return invalid("%s has the digest %s, expected SHA-256", what, phrase.Quote(d.Digest.String()))
	}
	return l.check(what, d.Size, most)
}

func readManifest(text []byte, l Limits) (ocispec.Manifest, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, invalid("manifest: %v", err)
	}
	switch {
	case m.SchemaVersion != 2 || m.MediaType != ocispec.MediaTypeImageManifest:
		return m, invalid("manifest is not an OCI image manifest")
	case m.ArtifactType != artifactType:
		return m, invalid("artifactType is %s, expected %q", phrase.Quote(m.ArtifactType), artifactType)
	case len(m.Layers) != 1:
		return m, invalid("manifest has %d layers, expected 1", len(m.Layers))
	}
	if err := checkDescriptor("list of files", m.Config, configType, l.MaxConfigBytes, l); err != nil {
		return m, err
	}
	return m, checkDescriptor("layer", m.Layers[0], layerType, l.MaxLayerBytes, l)
}

func infoOf(m ocispec.Manifest) Info {
	a := m.Annotations
	i := Info{Message: a[ocispec.AnnotationDescription], Source: a[ocispec.AnnotationSource], Revision: a[ocispec.AnnotationRevision], Author: a[ocispec.AnnotationAuthors]}
	if at, err := time.Parse(time.RFC3339, a[ocispec.AnnotationCreated]); err == nil {
		i.Created = at.UTC()
	}
	return i
}

type listed struct {
	Path   string        `json:"path"`
	Size   int64         `json:"size"`
	Digest digest.Digest `json:"digest"`
}

// readConfig reads the list of files, whose paths and sizes are checked. unpack checks the rest.
func readConfig(text []byte, l Limits) ([]listed, error) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"files":`))
	if !ok {
		return nil, invalid("list of files has no files")
	}
	d := json.NewDecoder(bytes.NewReader(rest))
	if _, err := d.Token(); err != nil {
		return nil, invalid("list of files: %v", err)
	}
	var files []listed
	var paths []string
	for total := int64(0); d.More(); {
		if len(files) == l.MaxFiles {
			return nil, l.check("number of files", int64(l.MaxFiles)+1, l.MaxFiles)
		}
		var f listed
		if err := d.Decode(&f); err != nil {
			return nil, invalid("list of files: %v", err)
		}
		if f.Size < 0 || f.Size > int64(l.MaxContentBytes)-total {
			return nil, l.check("content", int64(l.MaxContentBytes)+1, l.MaxContentBytes)
		}
		files, paths, total = append(files, f), append(paths, f.Path), total+f.Size
	}
	if err := checkPaths(paths, l.MaxFiles); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return files, nil
}

// unpack returns the contents of the files in the layer, which must be those of the list,
// in that order. It reads no more than they are declared to have.
func unpack(layer, config []byte, files []listed) (map[string][]byte, error) {
	source := bytes.NewReader(layer)
	z, err := gzip.NewReader(source)
	if err != nil {
		return nil, invalid("layer: %v", err)
	}
	z.Multistream(false)
	paths, total := make([]string, len(files)), int64(0)
	for i, f := range files {
		paths[i], total = f.Path, total+f.Size
	}
	folders := map[string]bool{}
	for _, name := range foldersOf(paths) {
		folders[name] = true
	}
	const header = 8 << 10 // a header with a long name, and the padding
	room := &io.LimitedReader{R: z, N: total + int64(len(files)+len(folders)+2)*header}
	t, contents := tar.NewReader(room), make(map[string][]byte, len(files))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, invalid("layer: %v", err)
		}
		name := strings.TrimSuffix(h.Name, "/")
		if h.Typeflag == tar.TypeDir {
			if !folders[name] {
				return nil, invalid("layer has the folder %s, which no file needs", phrase.Quote(h.Name))
			}
			delete(folders, name)
			continue
		}
		if h.Typeflag != tar.TypeReg || h.Linkname != "" {
			return nil, invalid("layer has %s, which is not a regular file", phrase.Quote(h.Name))
		}
		if len(contents) == len(files) {
			return nil, invalid("layer has %s, which is not in the list of files", phrase.Quote(h.Name))
		}
		f := files[len(contents)]
		if h.Name != path.Join(folder, f.Path) || h.Size != f.Size {
			return nil, invalid("layer has %s with %d bytes, expected %q with %d bytes", phrase.Quote(h.Name), h.Size, f.Path, f.Size)
		}
		content := make([]byte, f.Size)
		if _, err := io.ReadFull(t, content); err != nil {
			return nil, invalid("layer: file %q: %v", f.Path, err)
		}
		contents[f.Path] = content
	}
	if len(contents) != len(files) {
		return nil, invalid("layer has %d files, expected %d", len(contents), len(files))
	}
	// Other tools may read what comes after the end of the archive.
	if rest, err := io.ReadAll(room); err != nil || room.N == 0 || strings.Trim(string(rest), "\x00") != "" || source.Len() > 0 {
		return nil, invalid("layer has data after its files")
	}
	// The list has the digests, in the one form that gives one content digest for the files.
	if list, _ := promptfs.Contents(contents); !bytes.Equal(list, config) {
		return nil, invalid("list of files is not that of the layer")
	}
	return contents, nil
}
