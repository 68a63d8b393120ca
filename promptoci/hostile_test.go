package promptoci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forged is a release that a test changes before it is written.
type forged struct {
	manifest ocispec.Manifest
	files    []listed
	config   []byte // instead of files
	layer    func(w *tar.Writer)
	raw      []byte // instead of layer
	index    bool
}

// write writes a forged release, and returns its descriptor.
func (f *forged) write(t *testing.T, s Store) ocispec.Descriptor {
	t.Helper()
	config := f.config
	if config == nil {
		text, err := json.Marshal(map[string]any{"files": f.files})
		require.NoError(t, err)
		config = text
	}
	layer := f.raw
	if layer == nil {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		f.layer(w)
		_ = w.Close() // a forged archive may have too little data
		require.NoError(t, z.Close())
		layer = b.Bytes()
	}
	set := func(d *ocispec.Descriptor, content []byte) {
		if d.Digest == "" {
			d.Digest, d.Size = digest.FromBytes(content), int64(len(content))
			require.NoError(t, put(t.Context(), s, *d, content))
		}
	}
	set(&f.manifest.Config, config)
	for i := range f.manifest.Layers {
		set(&f.manifest.Layers[i], layer)
	}
	text, err := json.Marshal(f.manifest)
	require.NoError(t, err)
	d := descriptorOf(ocispec.MediaTypeImageManifest, text)
	require.NoError(t, put(t.Context(), s, d, text))
	if f.index {
		d.MediaType = ocispec.MediaTypeImageIndex
	}
	return d
}

// Nothing but a release of the exact form is accepted, in bounded memory, and the old one
// is served.
func TestHostileArtifacts(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	hello := []byte("hello\n")
	file := func(w *tar.Writer, name string, content []byte) {
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))})
		_, _ = w.Write(content)
	}
	list := func(name string, content []byte) listed {
		return listed{name, int64(len(content)), digest.FromBytes(content)}
	}
	var zeros bytes.Buffer // a bomb of 1 GiB
	z := gzip.NewWriter(&zeros)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "prompts/a.md", Size: 1 << 30}))
	_, _ = io.CopyN(w, zeroReader{}, 1<<30)
	require.NoError(t, z.Close())
	var padded bytes.Buffer // the files, and 64 MiB after them
	z = gzip.NewWriter(&padded)
	w = tar.NewWriter(z)
	file(w, "prompts/a.md", hello)
	require.NoError(t, w.Close())
	_, _ = io.CopyN(z, zeroReader{}, 64<<20)
	require.NoError(t, z.Close())
	archive := func(content []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		file(w, "prompts/a.md", content)
		require.NoError(t, w.Close())
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	var hidden bytes.Buffer // behind the end, where other tools read on
	z = gzip.NewWriter(&hidden)
	for range 2 {
		w = tar.NewWriter(z)
		file(w, "prompts/a.md", hello)
		require.NoError(t, w.Close())
	}
	require.NoError(t, z.Close())
	for name, forge := range map[string]func(f *forged){
		"an index":                 func(f *forged) { f.index = true },
		"an image":                 func(f *forged) { f.manifest.ArtifactType = "" },
		"two layers":               func(f *forged) { f.manifest.Layers = append(f.manifest.Layers, f.manifest.Layers[0]) },
		"no layer":                 func(f *forged) { f.manifest.Layers = nil },
		"a layer of another type":  func(f *forged) { f.manifest.Layers[0].MediaType = ocispec.MediaTypeImageLayerZstd },
		"a config of another type": func(f *forged) { f.manifest.Config.MediaType = ocispec.MediaTypeImageConfig },
		"a digest of SHA-512":      func(f *forged) { f.manifest.Config.Digest = digest.SHA512.FromString("a") },
		"a layer of 1 TiB": func(f *forged) {
			f.manifest.Layers[0].Digest, f.manifest.Layers[0].Size = digest.FromString("a"), 1<<40
		},
		"a negative size":             func(f *forged) { f.manifest.Layers[0].Digest, f.manifest.Layers[0].Size = digest.FromString("a"), -1 },
		"a config that is no JSON":    func(f *forged) { f.config = []byte("[") },
		"a config with other members": func(f *forged) { f.config = []byte(`{"files":[],"more":1}`) },
		"files out of order":          func(f *forged) { f.files = []listed{list("b.md", hello), list("a.md", hello)} },
		"a file twice":                func(f *forged) { f.files = []listed{list("a.md", hello), list("a.md", hello)} },
		"a path outside":              func(f *forged) { f.files = []listed{list("../a.md", hello)} },
		"an absolute path":            func(f *forged) { f.files = []listed{list("/a.md", hello)} },
		"a path of Windows":           func(f *forged) { f.files = []listed{list(`c:\a.md`, hello)} },
		"names that differ in case":   func(f *forged) { f.files = []listed{list("A.md", hello), list("a.md", hello)} },
		"contents of 1 TiB":           func(f *forged) { f.files[0].Size = 1 << 40 },
		"a negative file":             func(f *forged) { f.files[0].Size = -5 },
		"too many files": func(f *forged) {
			f.files = nil
			for i := range 20_001 {
				f.files = append(f.files, list(fmt.Sprintf("%06d.md", i), nil))
			}
		},
		"another content": func(f *forged) { f.layer = func(w *tar.Writer) { file(w, "prompts/a.md", []byte("HELLO\n")) } },
		"another name":    func(f *forged) { f.layer = func(w *tar.Writer) { file(w, "prompts/../../a.md", hello) } },
		"a file that is extra": func(f *forged) {
			f.layer = func(w *tar.Writer) { file(w, "prompts/a.md", hello); file(w, "prompts/b.md", hello) }
		},
		"a file that is absent": func(f *forged) { f.layer = func(*tar.Writer) {} },
		"a folder that is extra": func(f *forged) {
			f.layer = func(w *tar.Writer) {
				_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "etc/"})
				file(w, "prompts/a.md", hello)
			}
		},
		"a link": func(f *forged) {
			f.layer = func(w *tar.Writer) {
				_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "prompts/a.md", Linkname: "/etc/passwd"})
			}
		},
		"a device": func(f *forged) {
			f.layer = func(w *tar.Writer) { _ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeChar, Name: "prompts/a.md"}) }
		},
		"a bomb":                    func(f *forged) { f.raw = zeros.Bytes() },
		"data after the files":      func(f *forged) { f.raw = padded.Bytes() },
		"a list of 2,800,000 files": func(f *forged) { f.config = []byte(`{"files":[{}` + strings.Repeat(",{}", 2_700_000) + `]}`) },
		"4,000,000 folders": func(f *forged) {
			f.files = nil
			for i := range 7000 {
				f.files = append(f.files, list(fmt.Sprintf("%06d", i)+strings.Repeat("/a", 500), nil))
			}
		},
		"a list of another form": func(f *forged) {
			f.config = fmt.Appendf(nil, `{"files": [{"path":"a.md","size":6,"digest":"%s"}]}`, digest.FromBytes(hello))
		},
		"a member twice": func(f *forged) {
			f.config = fmt.Appendf(nil, `{"files":[{"path":"b.md","path":"a.md","size":6,"digest":"%s"}]}`, digest.FromBytes(hello))
		},
		"data after the list": func(f *forged) {
			f.config = fmt.Appendf(nil, `{"files":[{"path":"a.md","size":6,"digest":"%s"}]}x`, digest.FromBytes(hello))
		},
		"a member in another case":     func(f *forged) { f.config = []byte(`{"FILES":[]}`) },
		"folders that differ in case":  func(f *forged) { f.files = []listed{list("A/a.md", hello), list("a/b.md", hello)} },
		"a second archive in the gzip": func(f *forged) { f.raw = append(bytes.Clone(archive(hello)), archive([]byte("other\n"))...) },
		"a second archive in the tar":  func(f *forged) { f.raw = hidden.Bytes() },
		"a layer that is no gzip":      func(f *forged) { f.raw = []byte("no gzip") },
		"a layer that is cut off":      func(f *forged) { f.raw = zeros.Bytes()[:100] },
		"a manifest of 1 MiB":          func(f *forged) { f.manifest.Annotations = map[string]string{"a": strings.Repeat("a", 1<<20)} },
		"a list of files of 9 MiB":     func(f *forged) { f.config = bytes.Repeat([]byte(" "), 9<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			s := layout{t.TempDir()}
			f := &forged{files: []listed{list("a.md", hello)}, layer: func(w *tar.Writer) { file(w, "prompts/a.md", hello) }}
			f.manifest = ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: artifactType, Config: ocispec.Descriptor{MediaType: configType}, Layers: []ocispec.Descriptor{{MediaType: layerType}}}
			f.manifest.SchemaVersion = 2
			valid := *f
			valid.manifest.Layers = []ocispec.Descriptor{{MediaType: layerType}}
			_, err := pull(t.Context(), s, valid.write(t, s), Limits{}.filled())
			require.NoError(t, err, "without the change it is a release")
			forge(f)
			d := f.write(t, s)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := pull(t.Context(), s, d, Limits{}.filled())
			runtime.ReadMemStats(&after)
			assert.ErrorIs(t, err, ErrInvalid)
			if r != nil {
				assert.Empty(t, r.Files)
			}
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(80<<20)) // in all, not at once
		})
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }
