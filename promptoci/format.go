package promptoci

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/promptfs"
)

// The media types of a release.
const (
	artifactType = "application/vnd.mcp-prompts.release.v1"
	configType   = "application/vnd.mcp-prompts.release.config.v1+json"
	layerType    = ocispec.MediaTypeImageLayerGzip
)

const folder = "prompts"

// Info describes a release. All fields are optional.
type Info struct {
	// Message describes the changes.
	Message string
	// Source is the URL of the repository, without user, query and fragment: anybody who
	// may read the release reads them. Revision is the commit, and Author the user.
	Source, Revision, Author string
	// Created is the time of the release, in whole seconds. The digest of a release depends on it.
	Created time.Time
}

// Release is an immutable version of a folder of prompts: see [Build] and [Pull].
type Release struct {
	// Digest identifies the release: the digest of the manifest.
	Digest digest.Digest
	// Content is the content digest, the same for the same files on any machine: see
	// Contents of package promptfs.
	Content digest.Digest
	// Info describes the release.
	Info Info
	// Files are the contents of the files by path. They must not be changed.
	Files map[string][]byte

	manifest, config, layer []byte
}

// Build makes a release of files, as from Files of package promptfs. Build returns an error
// if a path has a backslash, a colon or a control character, if two paths differ only in
// case, if Info.Source is a URL with a user, a query or a fragment, or if a limit is exceeded.
func Build(files map[string][]byte, i Info) (*Release, error) {
	if err := checkPaths(slices.Collect(maps.Keys(files)), defaultMaxFiles); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"Message": i.Message, "Source": i.Source, "Revision": i.Revision, "Author": i.Author} {
		if !utf8.ValidString(text) {
			return nil, fmt.Errorf("promptoci: Info.%s is not valid UTF-8", name)
		}
	}
	if u, err := url.Parse(i.Source); err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		return nil, errors.New("promptoci: Info.Source must be a URL without user, query and fragment, which can have secrets")
	}
	r := &Release{Files: maps.Clone(files), Info: i}
	config, content := promptfs.Contents(files)
	archive, err := archiveOf(files)
	if err != nil {
		return nil, err
	}
	r.config, r.Content, r.layer = config, digest.Digest(content), gzipStored(archive)
	annotations := map[string]string{}
	for key, value := range map[string]string{
		ocispec.AnnotationDescription: i.Message, ocispec.AnnotationSource: i.Source, ocispec.AnnotationRevision: i.Revision, ocispec.AnnotationAuthors: i.Author,
	} {
		if value != "" {
			annotations[key] = value
		}
	}
	if !i.Created.IsZero() {
		r.Info.Created = i.Created.UTC().Truncate(time.Second)
		annotations[ocispec.AnnotationCreated] = r.Info.Created.Format(time.RFC3339)
	}
	layer := descriptorOf(layerType, r.layer)
	layer.Annotations = map[string]string{
		ocispec.AnnotationTitle: folder, "io.deis.oras.content.unpack": "true", "io.deis.oras.content.digest": digest.FromBytes(archive).String(),
	}
	r.manifest, err = json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: artifactType,
		Config: descriptorOf(configType, config), Layers: []ocispec.Descriptor{layer}, Annotations: annotations,
	})
	if err != nil {
		return nil, fmt.Errorf("promptoci: %w", err)
	}
	r.Digest = digest.FromBytes(r.manifest)
	limits := Limits{}.filled()
	return r, errors.Join(
		limits.check("manifest", int64(len(r.manifest)), limits.MaxManifestBytes), limits.check("list of files", int64(len(r.config)), limits.MaxConfigBytes),
		limits.check("layer", int64(len(r.layer)), limits.MaxLayerBytes), limits.check("number of files", int64(len(files)), limits.MaxFiles))
}

func (r *Release) tag() string {
	return "release." + r.Info.Created.UTC().Format("20060102T150405Z") + "." + r.Digest.Encoded()[:12]
}

func descriptorOf(mediaType string, content []byte) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}
}

// archiveOf returns a tar of the files below the folder: the folders, then the files, each
// in order, without anything that differs between machines.
func archiveOf(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range foldersOf(slices.Collect(maps.Keys(files))) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755, ModTime: time.Unix(0, 0)}); err != nil {
			return nil, fmt.Errorf("promptoci: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, name), Mode: 0o644, Size: int64(len(content)), ModTime: time.Unix(0, 0)})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			return nil, fmt.Errorf("promptoci: %w", err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func foldersOf(paths []string) []string {
	all := map[string]bool{folder: true}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			all[path.Join(folder, dir)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// gzipStored returns data as gzip without compression, so that no version of a compressor
// changes the bytes.
func gzipStored(data []byte) []byte {
	const most = 0xffff
	out := append(make([]byte, 0, len(data)+len(data)/most*5+32), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
	for rest := data; ; {
		n := min(len(rest), most)
		final := byte(0)
		if n == len(rest) {
			final = 1
		}
		out = append(out, final)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, rest[:n]...)
		if rest = rest[n:]; final == 1 {
			break
		}
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(out, uint32(len(data)))
}

// maxPath is the maximum length of a path in bytes.
const maxPath = 1024

// checkPaths returns an error for paths that would be other files on another system, and for
// more folders than most.
func checkPaths(paths []string, most int) error {
	slices.Sort(paths)
	type entry struct {
		path   string
		isFile bool
	}
	seen := make(map[string]entry, 2*len(paths))
	for _, p := range paths {
		switch {
		case len(p) > maxPath:
			return fmt.Errorf("promptoci: path %s has %d bytes (limit %d)", phrase.Quote(p), len(p), maxPath)
		case !fs.ValidPath(p) || p == "." || !utf8.ValidString(p) || strings.ContainsFunc(p, isForbidden):
			return fmt.Errorf("promptoci: invalid path %q; use a relative path without backslashes, colons and control characters", p)
		}
		for at, isFile := p, true; at != "."; at, isFile = path.Dir(at), false {
			other, ok := seen[fold(at)]
			switch {
			case !ok:
				if seen[fold(at)] = (entry{at, isFile}); len(seen) > len(paths)+most {
					return fmt.Errorf("promptoci: number of folders exceeds the limit of %d", most)
				}
				continue
			case other.path != at:
				return fmt.Errorf("promptoci: paths %q and %q differ only in case, or in their Unicode form; rename one of the two", other.path, at)
			case other.isFile != isFile || isFile:
				return fmt.Errorf("promptoci: path %q is a file and a folder, or there twice", at)
			}
			break // its folders are known, too
		}
	}
	return nil
}

func isForbidden(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }

// fold returns a path that is the same for paths that differ only in case, or in their Unicode
// form: macOS takes both for one.
func fold(p string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, norm.NFC.String(p))
}
