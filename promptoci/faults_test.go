package promptoci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"oras.land/oras-go/v2/errdef"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
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
			s := NewLayout(t.TempDir())
			f := &forged{files: []listed{list("a.md", hello)}, layer: func(w *tar.Writer) { file(w, "prompts/a.md", hello) }}
			f.manifest = ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArtifactType, Config: ocispec.Descriptor{MediaType: configType}, Layers: []ocispec.Descriptor{{MediaType: layerType}}}
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

// Whatever a registry does, the release before is served, and the status says why; when
// the registry is well again, the Follower catches up.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	blobs := func(f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/blobs/") {
				w.Header().Set("Fault", "none")
				return
			}
			f(w, r)
		}
	}
	for name, fault := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"unauthorized":      {status(401, "WWW-Authenticate", `Basic realm="x"`), "credential"},
		"forbidden":         {status(403), "403"},
		"no label":          {status(404), "not found"},
		"too many requests": {status(429), "429"},
		"internal error":    {status(500), "500"},
		"unavailable":       {status(503), "503"},
		"reset":             {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"a page of HTML": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, ""},
		"another blob": {blobs(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "something else")
		}), ""},
		"a blob that is cut off": {blobs(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
		}), ""},
		"a blob without end": {blobs(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}), ""},
		"a stalled blob": {blobs(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), ""},
		"a redirect to the metadata service": {status(307, "Location", "http://169.254.169.254/latest"), ""},
		"a redirect without end": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, "redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var isBroken atomic.Bool
			s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !isBroken.Load() {
					return false
				}
				if strings.Contains(r.URL.Path, "/manifests/") && strings.HasPrefix(name, "a ") && strings.Contains(name, "blob") || strings.HasPrefix(name, "another blob") && !strings.Contains(r.URL.Path, "/blobs/") {
					return false
				}
				fault.handle(w, r)
				return true
			})
			one, two := pushed(t, s, 1), pushed(t, s, 2)
			moved(t, s, "production", one)
			reg, log := new(prompts.Registry), &journal{}
			onStatus, wait := statuses(t)
			f, err := Follow(t.Context(), reg, s, "production", Options{Files: log.options(), Interval: 5 * time.Millisecond, Timeout: 10 * time.Second, OnStatus: onStatus})
			require.NoError(t, err)
			defer f.Close()
			isBroken.Store(true)
			if strings.Contains(name, "blob") { // the label can be moved and not be read
				d, err := s.Resolve(t.Context(), two.String())
				require.NoError(t, err)
				require.NoError(t, s.Tag(t.Context(), d, "production"))
			}
			failed := wait(func(s Status) bool { return !s.Synced })
			assert.ErrorContains(t, failed.Err, fault.want)
			assert.Equal(t, one, failed.Release)
			assert.Contains(t, log.String(), "release not in sync with store")
			assert.Equal(t, one.String(), reg.Releases()[0].ID)
			isBroken.Store(false)
			moved(t, s, "production", two)
			f.Refresh()
			wait(func(s Status) bool { return s.Synced && s.Release == two })
			assert.Equal(t, two.String(), reg.Releases()[0].ID)
		})
	}
}

// After a garbage collection, Distribution reports content as present that it has removed. No
// label moves to such a release, and another push brings the content back.
func TestCollectedContent(t *testing.T) {
	t.Parallel()
	var removed sync.Map // the sizes by digest of content that is only reported
	neverBack := false
	s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && !neverBack {
			removed.Delete(r.URL.Query().Get("digest"))
		}
		size, isRemoved := removed.Load(filepath.Base(r.URL.Path))
		if isRemoved && r.Method == http.MethodGet {
			w.Header().Set("Content-Length", fmt.Sprint(size)) // and then nothing
			return true
		}
		return false
	})
	ctx := t.Context()
	one, two := built(t, 1), pushed(t, s, 2)
	pushed(t, s, 1)
	moved(t, s, "production", one.Digest)
	moved(t, s, "production", two)
	for _, blob := range [][]byte{one.layer, one.config} {
		removed.Store(digest.FromBytes(blob).String(), len(blob))
	}
	_, err := Rollback(ctx, s, "production", "ada", "")
	assert.ErrorContains(t, err, "push its files again")
	at, err := s.Resolve(ctx, "production")
	require.NoError(t, err)
	assert.Equal(t, two, at.Digest)
	assert.Len(t, logOf(t, s, "production"), 2)
	require.NoError(t, Push(ctx, s, one))
	m, err := Rollback(ctx, s, "production", "ada", "")
	require.NoError(t, err)
	assert.Equal(t, one.Digest, m.To)
	// A release that does not come back gets no tag.
	three := built(t, 3)
	removed.Store(digest.FromBytes(three.layer).String(), len(three.layer))
	neverBack = true
	assert.ErrorContains(t, Push(ctx, s, three), "push again")
	all, err := Releases(ctx, s)
	require.NoError(t, err)
	assert.Len(t, all, 2)
}

// A push that is interrupted by any of its requests leaves the label where it was, lists
// no release, and can be repeated.
func TestInterruptedPush(t *testing.T) {
	t.Parallel()
	var left atomic.Int32
	left.Store(1 << 30)
	s := newRegistry(t, func(http.ResponseWriter, *http.Request) bool {
		if left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	one := pushed(t, s, 1)
	moved(t, s, "production", one)
	two := built(t, 2)
	failed := 0
	for ; ; failed++ {
		left.Store(int32(failed))
		err := Push(t.Context(), s, two)
		left.Store(1 << 30)
		at, resolveErr := s.Resolve(t.Context(), "production")
		require.NoError(t, resolveErr)
		assert.Equal(t, one, at.Digest)
		all, listErr := Releases(t.Context(), s)
		require.NoError(t, listErr)
		if err == nil {
			assert.Len(t, all, 2)
			break
		}
		assert.Len(t, all, 1)
	}
	assert.Greater(t, failed, 2)
	pulled, err := Pull(t.Context(), s, two.Digest.String(), Limits{})
	require.NoError(t, err)
	assert.Equal(t, two, pulled)
}

// A redirect to the storage of a registry has a signature in its URL, which is in no error.
func TestSignedRedirects(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"forbidden":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"reset":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"another length": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := httptest.NewServer(answer)
			t.Cleanup(storage.Close)
			s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
					return false
				}
				http.Redirect(w, r, storage.URL+"/object?X-Amz-Signature=hidden", http.StatusTemporaryRedirect)
				return true
			})
			err := Push(t.Context(), s, built(t, 1))
			assert.ErrorContains(t, err, storage.URL+"/object")
			assert.NotContains(t, err.Error(), "hidden")
		})
	}
}

// Distribution 2.8 answers 500 to some reads while a tag is written. They are sent again.
func TestReadsAreSentAgain(t *testing.T) {
	t.Parallel()
	var failures atomic.Int32
	s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || failures.Add(-1) < 0 {
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		return true
	})
	one := pushed(t, s, 1)
	failures.Store(2)
	moved(t, s, "production", one)
	failures.Store(3)
	_, err := s.Resolve(t.Context(), "production")
	assert.ErrorContains(t, err, "500")
}

// flaky is a store that fails by an error.
type flaky struct {
	Store
	err     atomic.Pointer[error]
	resolve atomic.Int64
	wait    atomic.Int64 // nanoseconds
}

func (f *flaky) Resolve(ctx context.Context, reference string) (ocispec.Descriptor, error) {
	f.resolve.Add(1)
	if err := f.err.Load(); err != nil {
		return ocispec.Descriptor{}, *err
	}
	return f.Store.Resolve(ctx, reference)
}

func (f *flaky) retryAfter() time.Duration { return time.Duration(f.wait.Load()) }

// A Follower asks once in an interval, less often after errors, and as late as it is told.
func TestIntervals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{Store: NewLayout(t.TempDir())}
		one := pushed(t, s.Store, 1)
		moved(t, s.Store, "production", one)
		f, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: quiet})
		require.NoError(t, err)
		defer f.Close()
		asked := func(d time.Duration) int64 {
			before := s.resolve.Load()
			time.Sleep(d)
			synctest.Wait()
			return s.resolve.Load() - before
		}
		n := asked(10*time.Minute + time.Millisecond)
		assert.InDelta(t, 20, n, 3)
		failure := errdef.ErrNotFound // a label that was removed
		s.err.Store(&failure)
		asked(30 * time.Minute)
		assert.InDelta(t, 12, asked(time.Hour+time.Millisecond), 2)
		assert.Equal(t, one, f.Status().Release)
		assert.False(t, f.Status().Synced)
		s.wait.Store(int64(time.Hour)) // Retry-After
		asked(10 * time.Minute)
		assert.LessOrEqual(t, asked(3*time.Hour+time.Millisecond), int64(4))
		s.err.Store(nil)
		for range 5 {
			f.Refresh()
		}
		assert.LessOrEqual(t, asked(1500*time.Millisecond), int64(2))
		assert.True(t, f.Status().Synced)
	})
}

// An invalid release is rejected as a whole, once, and the next one is served.
func TestRejectedRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, reg, log := NewLayout(t.TempDir()), new(prompts.Registry), &journal{}
		one := pushed(t, s, 1)
		moved(t, s, "production", one)
		refuse := digest.Digest("")
		f, err := Follow(t.Context(), reg, s, "production", Options{Files: log.options(), Verify: func(_ context.Context, _ Store, d ocispec.Descriptor) error {
			if d.Digest == refuse {
				return assert.AnError
			}
			return nil
		}})
		require.NoError(t, err)
		defer f.Close()
		files := filesOf(2)
		files["p3.md"] = []byte("{{if}}")
		bad, err := Build(files, Info{})
		require.NoError(t, err)
		require.NoError(t, Push(t.Context(), s, bad))
		moved(t, s, "production", bad.Digest)
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		status := f.Status()
		assert.Equal(t, []digest.Digest{one, bad.Digest}, []digest.Digest{status.Release, status.Refused})
		assert.ErrorContains(t, status.Err, "p3.md:1")
		assert.Equal(t, 1, strings.Count(log.String(), `msg="release rejected"`))
		assert.Equal(t, one.String(), reg.Releases()[0].ID)
		refuse = pushed(t, s, 3)
		moved(t, s, "production", refuse)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.ErrorIs(t, f.Status().Err, assert.AnError)
		// An artifact of another form is remembered, too.
		image := otherArtifact(t, s)
		require.NoError(t, s.Tag(t.Context(), image, "production"))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, image.Digest, f.Status().Refused)
		assert.ErrorIs(t, f.Status().Err, ErrInvalid)
		four := pushed(t, s, 4)
		moved(t, s, "production", four)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, four, f.Status().Release)
		assert.Empty(t, f.Status().Refused)
	})
}

// Three replicas follow a rollback within the interval and a second, and each client gets
// one list_changed, in a session and by subscriptions/listen.
func TestRollbackOnThreeReplicas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewLayout(t.TempDir())
		one := pushed(t, s, 1)
		moved(t, s, "production", one)
		moved(t, s, "production", pushed(t, s, 2))
		ctx, cancel := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		defer clients.Wait()
		defer cancel()
		var registries []*prompts.Registry
		got := make([]atomic.Int32, 6)
		for i := range 3 {
			reg := new(prompts.Registry)
			f, err := Follow(t.Context(), reg, s, "production", Options{Files: quiet})
			require.NoError(t, err)
			defer f.Close()
			registries = append(registries, reg)
			count := func(client int, message []byte) error {
				if strings.Contains(string(message), `"method":"notifications/prompts/list_changed"`) {
					got[client].Add(1)
				}
				return nil
			}
			srv := prompts.MustNewServer(reg, prompts.Options{})
			session := srv.NewSession(transport.SessionOptions{Version: "2025-11-25"})
			clients.Go(func() {
				defer session.Close()
				_ = session.Notifications(ctx, func(message []byte) error { return count(2*i, message) })
			})
			clients.Go(func() {
				_ = srv.Handle(ctx, []byte(listenLine), transport.Exchange{Send: func(message []byte, _ prompts.Code, _ bool) error { return count(2*i+1, message) }})
			})
		}
		synctest.Wait()
		_, err := Rollback(t.Context(), s, "production", "ada", "bad")
		require.NoError(t, err)
		for _, d := range []time.Duration{defaultInterval + time.Second, time.Hour} {
			time.Sleep(d)
			synctest.Wait()
			for _, reg := range registries {
				assert.Equal(t, one.String(), reg.Releases()[0].ID)
			}
			for client := range got {
				assert.EqualValues(t, 1, got[client].Load(), client)
			}
		}
	})
}

const listenLine = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"promptsListChanged":true}}}`

// A server starts without its registry, from a cache that is checked.
func TestStartFromCache(t *testing.T) {
	t.Parallel()
	layout := NewLayout(t.TempDir())
	one := pushed(t, layout, 1)
	moved(t, layout, "production", one)
	o := Options{Files: quiet, Cache: t.TempDir()}
	f, err := Follow(t.Context(), new(prompts.Registry), layout, "production", o)
	require.NoError(t, err)
	f.Close()
	dead := open(t, "127.0.0.1:1/team/prompts")
	reg := new(prompts.Registry)
	f, err = Follow(t.Context(), reg, dead, "production", o)
	require.NoError(t, err)
	f.Close()
	status := f.Status()
	assert.Equal(t, []any{one, true, false}, []any{status.Release, status.FromCache, status.Synced})
	assert.Equal(t, 5, reg.Len())
	for name, o := range map[string]Options{"the store is required": {Files: quiet, Cache: o.Cache, RequireStore: true}, "no cache": {Files: quiet}, "an empty cache": {Files: quiet, Cache: t.TempDir()}} {
		_, err = Follow(t.Context(), new(prompts.Registry), dead, "production", o)
		assert.ErrorContains(t, err, "follow production", name)
	}
	_, err = Follow(t.Context(), new(prompts.Registry), dead, "staging", o)
	assert.Error(t, err, "the cache is of another label")
	// The same release after a move is one folder, and a damaged one is no release.
	moved(t, layout, "production", pushed(t, layout, 2))
	f, err = Follow(t.Context(), new(prompts.Registry), layout, "production", o)
	require.NoError(t, err)
	f.Close()
	folders, err := filepath.Glob(filepath.Join(o.Cache, "release-*"))
	require.NoError(t, err)
	require.Len(t, folders, 1)
	require.NoError(t, filepath.Walk(folders[0], func(path string, info os.FileInfo, err error) error {
		if err == nil && strings.Contains(path, "sha256") && info.Mode().IsRegular() {
			err = os.WriteFile(path, bytes.Repeat([]byte("x"), int(info.Size())), 0o600)
		}
		return err
	}))
	_, err = Follow(t.Context(), new(prompts.Registry), dead, "production", o)
	assert.Error(t, err)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Requests stay on HTTPS, and a redirect leads to no address of the host or its cloud.
func TestAddresses(t *testing.T) {
	t.Parallel()
	client := &http.Client{Transport: &guard{base: newTransport("registry.example"), registryHost: "registry.example"}}
	addresses := []string{
		"127.0.0.1:1", "169.254.169.254", "[::1]:1", "0.0.0.0:1", "0.1.2.3", "[fd00:ec2::254]", "[::ffff:127.0.0.1]:1", "[64:ff9b::a9fe:a9fe]",
		"[fe80::1%25lo]:1", "100.100.100.200", "168.63.129.16",
	}
	for _, address := range append(addresses, "localhost:1", "LOCALHOST.:1", "a.localhost", "metadata.google.internal") {
		_, err := client.Get("https://" + address + "/")
		assert.ErrorContains(t, err, "of a redirect is rejected", address)
	}
	// The addresses behind a name are checked, too, but for a proxy, where there are none.
	for _, address := range addresses {
		if _, _, err := net.SplitHostPort(address); err != nil {
			address += ":1"
		}
		_, err := newTransport("registry.example").(*http.Transport).DialContext(t.Context(), "tcp", strings.Replace(address, "%25", "%", 1))
		assert.ErrorContains(t, err, "of a redirect is rejected", address)
	}
	called := false
	proxied := &http.Client{Transport: &guard{registryHost: "registry.example", base: roundTrip(func(*http.Request) (*http.Response, error) {
		called = true
		return nil, assert.AnError
	})}}
	_, err := proxied.Get("https://169.254.169.254/")
	assert.ErrorContains(t, err, "of a redirect is rejected")
	assert.False(t, called)
	_, err = proxied.Get("https://blobs.example/")
	assert.ErrorIs(t, err, assert.AnError)
	_, err = client.Get("http://registry.example/")
	assert.ErrorIs(t, err, errPlain)
}

// Processes that write one layout, and are killed, lose no tag.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("PROMPTOCI_LAYOUT"); dir != "" {
		s := NewLayout(dir)
		d := descriptorOf(ocispec.MediaTypeImageManifest, built(t, 1).manifest)
		for n := 0; ; n++ {
			tag := fmt.Sprintf("t%s-%d", os.Getenv("PROMPTOCI_WRITER"), n)
			require.NoError(t, s.Tag(t.Context(), d, tag))
			fmt.Println("tagged", tag)
		}
	}
	dir := t.TempDir()
	s := NewLayout(dir)
	pushed(t, s, 1)
	var all sync.WaitGroup
	written := make([][]string, 4)
	for i := range written {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWriters$")
			cmd.Env = append(os.Environ(), "PROMPTOCI_LAYOUT="+dir, fmt.Sprint("PROMPTOCI_WRITER=", i))
			out, err := cmd.StdoutPipe()
			if !assert.NoError(t, err) || !assert.NoError(t, cmd.Start()) {
				return
			}
			var tag string
			for len(written[i]) < 10 {
				if n, err := fmt.Fscanf(out, "tagged %s\n", &tag); err != nil || n != 1 {
					break
				}
				written[i] = append(written[i], tag)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
	}
	all.Wait()
	for _, tags := range written {
		assert.Len(t, tags, 10)
		for _, tag := range tags {
			_, err := s.Resolve(t.Context(), tag)
			assert.NoError(t, err, tag)
		}
	}
	_, err := Pull(t.Context(), s, built(t, 1).Digest.String(), Limits{})
	assert.NoError(t, err)
	require.NoError(t, s.Tag(t.Context(), descriptorOf(ocispec.MediaTypeImageManifest, built(t, 1).manifest), "after"), "the lock is free")
}
