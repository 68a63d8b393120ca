package promptoci

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

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
			assert.Equal(t, one.String(), releaseOf(t, reg).ID)
			isBroken.Store(false)
			moved(t, s, "production", two)
			wait(func(s Status) bool { return s.Synced && s.Release == two })
			assert.Equal(t, two.String(), releaseOf(t, reg).ID)
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
	_, err := Rollback(ctx, s, Move{Label: "production", By: "ada"})
	assert.ErrorContains(t, err, "push its files again")
	at, err := s.Resolve(ctx, "production")
	require.NoError(t, err)
	assert.Equal(t, two, at.Digest)
	assert.Len(t, logOf(t, s, "production"), 2)
	require.NoError(t, Push(ctx, s, one))
	m, err := Rollback(ctx, s, Move{Label: "production", By: "ada"})
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
		s := layout{dir}
		d := descriptorOf(ocispec.MediaTypeImageManifest, built(t, 1).manifest)
		for n := 0; ; n++ {
			tag := fmt.Sprintf("t%s-%d", os.Getenv("PROMPTOCI_WRITER"), n)
			require.NoError(t, s.Tag(t.Context(), d, tag))
			fmt.Println("tagged", tag)
		}
	}
	dir := t.TempDir()
	s := layout{dir}
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
