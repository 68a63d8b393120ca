package promptoci

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tagReaders are the calls that list the tags of a store.
var tagReaders = map[string]func(ctx context.Context, s Store, release digest.Digest) error{
	"Log": func(ctx context.Context, s Store, _ digest.Digest) error {
		for _, err := range Log(ctx, s, "production") {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"Rollback": func(ctx context.Context, s Store, _ digest.Digest) error {
		_, err := Rollback(ctx, s, Move{Label: "production"})
		return err
	},
	"Apply": func(ctx context.Context, s Store, release digest.Digest) error {
		_, err := Apply(ctx, s, Move{Label: "production", To: release})
		return err
	},
	"Releases": func(ctx context.Context, s Store, _ digest.Digest) error { _, err := Releases(ctx, s); return err },
}

// A registry sends a list of tags without end: of long tags, of short ones, or of none. Each
// call reads a bounded part of the list, and holds less.
func TestTagsWithoutEnd(t *testing.T) { // not parallel: others would have memory in the same heap
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	page := func(tag string, n int) func(w io.Writer) {
		return func(w io.Writer) {
			_, _ = fmt.Fprintf(w, `{"tags":["x"%s]}`, strings.Repeat(`,"`+tag+`"`, n))
		}
	}
	for name, write := range map[string]func(w io.Writer){
		"records":     page("move.production.20260101T000000Z000000.abcdef012345", 20_000),
		"empty tags":  page("", 100_000),
		"white space": func(w io.Writer) { _, _ = io.WriteString(w, strings.Repeat(" ", 4<<20)+`{"tags":[]}`) },
	} {
		t.Run(name, func(t *testing.T) {
			isEndless, sent := false, 0
			s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !isEndless || !strings.HasSuffix(r.URL.Path, "/tags/list") {
					return false
				}
				sent++
				w.Header().Set("Link", fmt.Sprintf(`<%s?last=%d>; rel="next"`, r.URL.Path, sent))
				write(w)
				return true
			})
			release := pushed(t, s, 1)
			isEndless = true
			for call, read := range tagReaders {
				before := heap()
				sent = 0
				assert.ErrorContains(t, read(t.Context(), s, release), "list of tags exceeds the limit of 200000 tags or 16777216 bytes", call)
				assert.Less(t, sent, 20, call)
				assert.Less(t, int64(heap())-int64(before), int64(8<<20), call)
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An index of a layout has a bounded number of tags, however short their texts are.
func TestIndexOfShortTags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	release := pushed(t, layout{dir}, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), []byte(`{"manifests":[{}`+strings.Repeat(`,{}`, maxTags)+`]}`), 0o600))
	for call, read := range tagReaders {
		assert.ErrorContains(t, read(t.Context(), layout{dir}, release), "index exceeds the limit of 200000 tags", call)
	}
	for _, list := range []string{`{"manifests":1}`, `{"manifests":[1]}`, `{"manifests":[{}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), []byte(list), 0o600))
		assert.Error(t, tagReaders["Releases"](t.Context(), layout{dir}, release), list)
	}
	for _, list := range []string{`{}`, `{"manifests":null}`, `{"manifests":[]}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), []byte(list), 0o600))
		assert.NoError(t, tagReaders["Releases"](t.Context(), layout{dir}, release), list)
	}
}

// The texts of all moves, and of all releases, are bounded together.
func TestManifestsTogether(t *testing.T) {
	t.Parallel()
	s := layout{t.TempDir()}
	empty := ocispec.DescriptorEmptyJSON
	require.NoError(t, put(t.Context(), s, empty, empty.Data))
	write := func(artifact, text string) ocispec.Descriptor {
		raw, err := json.Marshal(ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: artifact, Config: empty, Annotations: map[string]string{annotation + "reason": text}})
		require.NoError(t, err)
		d := descriptorOf(ocispec.MediaTypeImageManifest, raw)
		require.NoError(t, put(t.Context(), s, d, raw))
		return d
	}
	index, err := s.index(t.Context())
	require.NoError(t, err)
	d := write(moveType, strings.Repeat("x", defaultMaxManifestBytes-1000))
	for i := range maxManifests/d.Size + 1 {
		for _, tag := range []string{"move.production.20260101T000000Z%06d.abcdef012345", "release.20260101T%06dZ.abcdef012345"} {
			entry := d
			entry.Annotations = map[string]string{ocispec.AnnotationRefName: fmt.Sprintf(tag, i)}
			index.Manifests = append(index.Manifests, entry)
		}
	}
	text, err := json.Marshal(index)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "index.json"), text, 0o600))
	for call, read := range tagReaders {
		if call != "Apply" { // reads the tags alone
			assert.ErrorContains(t, read(t.Context(), s, ""), "exceed the limit of 67108864 bytes", call)
		}
	}
}

// A store with as many tags as can be read gets no more: each writer says so and moves
// nothing, and the store is still read.
func TestWrittenTagsCanBeRead(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (s Store, fill func()){
		"layout": func(t *testing.T) (Store, func()) {
			s := layout{t.TempDir()}
			return s, func() {
				index, err := s.index(t.Context())
				require.NoError(t, err)
				for len(index.Manifests) < maxTags {
					index.Manifests = append(index.Manifests, ocispec.Descriptor{})
				}
				text, err := json.Marshal(index)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(s.dir, "index.json"), text, 0o600))
			}
		},
		"registry": func(t *testing.T) (Store, func()) {
			isFull := false
			s := newRegistry(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !isFull || !strings.HasSuffix(r.URL.Path, "/tags/list") {
					return false
				}
				_, _ = io.WriteString(w, `{"tags":["x"`+strings.Repeat(`,"x"`, maxTags-roomForTags+1)+`]}`)
				return true
			})
			return s, func() { isFull = true }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, fill := open(t)
			first := pushed(t, s, 1)
			moved(t, s, "production", first)
			fill()
			_, err := Apply(t.Context(), s, Move{Label: "next", To: first})
			for call, err := range map[string]error{"Push": Push(t.Context(), s, built(t, 3)), "Apply": err} {
				assert.ErrorContains(t, err, "exceeds the limit of 200000 tags", call)
			}
			assert.NoError(t, tagReaders["Log"](t.Context(), s, first))
			now, err := current(t.Context(), s, "production")
			require.NoError(t, err)
			assert.Equal(t, first, now)
		})
	}
}
