package promptoci

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

var quiet = promptfs.Options{Logger: slog.New(slog.DiscardHandler)}

// newRegistry returns a registry of go-containerregistry, in which handle, if not nil, comes
// first and reports whether it has answered.
func newRegistry(t testing.TB, handle func(w http.ResponseWriter, r *http.Request) bool) Store {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handle == nil || !handle(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return open(t, server.Listener.Addr().String()+"/team/prompts")
}

func open(t testing.TB, repository string) Store {
	t.Helper()
	ref, err := ParseRef("oci://" + repository)
	require.NoError(t, err)
	s, err := Open(ref, ClientOptions{})
	require.NoError(t, err)
	return s
}

// realRegistry is the host of a registry for eachStore, such as 127.0.0.1:5000.
var realRegistry = flag.String("registry", "", "`host` of a registry to test with, too")

// eachStore runs a test on a folder and on a registry.
func eachStore(t *testing.T, f func(t *testing.T, s Store)) {
	if *realRegistry != "" {
		t.Run("real registry", func(t *testing.T) {
			t.Parallel()
			f(t, open(t, *realRegistry+"/"+strings.ToLower(rand.Text())+"/prompts"))
		})
	}
	t.Run("layout", func(t *testing.T) {
		t.Parallel()
		f(t, layout{t.TempDir()})
	})
	t.Run("registry", func(t *testing.T) {
		t.Parallel()
		f(t, newRegistry(t, nil))
	})
}

// filesOf returns the files of version n, each of which names the version.
func filesOf(n int) map[string][]byte {
	files := map[string][]byte{"_partials/who.md": fmt.Appendf(nil, "v%d\n", n)}
	for i := range 5 {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Appendf(nil, "%d says {{template \"who\" .}} v%d\n", i, n)
	}
	return files
}

// built returns the release of version n.
func built(t testing.TB, n int) *Release {
	t.Helper()
	r, err := Build(filesOf(n), Info{Message: fmt.Sprint("version ", n), Created: time.Unix(int64(1_800_000_000+n), 0)})
	require.NoError(t, err)
	return r
}

func pushed(t testing.TB, s Store, n int) digest.Digest {
	t.Helper()
	r := built(t, n)
	require.NoError(t, Push(t.Context(), s, r))
	return r.Digest
}

func moved(t testing.TB, s Store, label string, to digest.Digest) Move {
	t.Helper()
	m, err := Apply(t.Context(), s, Move{Label: label, To: to, By: "ada"})
	require.NoError(t, err)
	return m
}

func logOf(t testing.TB, s Store, label string) (moves []Move) {
	t.Helper()
	for m, err := range Log(t.Context(), s, label) {
		require.NoError(t, err)
		moves = append(moves, m)
	}
	return moves
}

// otherArtifact writes an artifact of another tool.
func otherArtifact(t testing.TB, s Store) ocispec.Descriptor {
	t.Helper()
	empty := ocispec.DescriptorEmptyJSON
	require.NoError(t, put(t.Context(), s, empty, empty.Data))
	config := ocispec.Descriptor{MediaType: empty.MediaType, Digest: empty.Digest, Size: empty.Size}
	text, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: "application/vnd.example",
		Config: config, Layers: []ocispec.Descriptor{config},
	})
	require.NoError(t, err)
	d := descriptorOf(ocispec.MediaTypeImageManifest, text)
	require.NoError(t, put(t.Context(), s, d, text))
	return d
}

// journal is a log that a test reads.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) options() promptfs.Options {
	return promptfs.Options{Logger: slog.New(slog.NewTextHandler(j, nil))}
}

// statuses returns an OnStatus and a function that waits for a status.
func statuses(t testing.TB) (func(Status), func(is func(Status) bool) Status) {
	all := make(chan Status, 10_000)
	wait := func(is func(Status) bool) Status {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for {
			select {
			case s := <-all:
				if is(s) {
					return s
				}
			case <-ctx.Done():
				require.FailNow(t, "the status did not come")
			}
		}
	}
	return func(s Status) { all <- s }, wait
}

// releaseOf returns the release of a list; the zero Release without any.
func releaseOf(t testing.TB, reg *prompts.Registry) prompts.Release {
	t.Helper()
	raw, err := prompts.MustNewServer(reg, prompts.Options{}).Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	var list struct {
		Meta struct {
			ID    string `json:"io.github.mcp-prompts/release"`
			Label string `json:"io.github.mcp-prompts/label"`
		} `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(raw, &list))
	return prompts.Release{ID: list.Meta.ID, Label: list.Meta.Label}
}
