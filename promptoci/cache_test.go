package promptoci

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A cache removes and replaces only what a cache has made, in a folder with its mark.
func TestWhatACacheRemoves(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a", 32)
	for name, c := range map[string]struct {
		has   []string // files of others
		isOwn bool     // a cache was here before
		want  string   // the error; empty if the release is cached
		gone  []string // of has
	}{
		"other files":                    {[]string{"release-notes.md", "release-1/a", "sub/current", "lost+found/x"}, false, "", nil},
		"a current of others":            {[]string{"current"}, false, "has current and is not marked as a cache; give an empty folder", nil},
		"a release of others":            {[]string{"release-" + hex + "/a"}, false, "is not marked as a cache", nil},
		"a file begun by others":         {[]string{".new-12"}, false, "is not marked as a cache", nil},
		"an old release":                 {[]string{"release-" + hex + "/blobs/x", ".new-12"}, true, "", []string{"release-" + hex, ".new-12"}},
		"names that are nearly releases": {[]string{"release-" + hex + "x", "release-" + hex[1:], "Release-" + hex, "release-" + strings.ToUpper(hex), ".new-a"}, true, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.isOwn {
				require.NoError(t, os.WriteFile(filepath.Join(dir, cacheMark), nil, 0o600))
			}
			for _, file := range c.has {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("mine"), 0o600))
			}
			s := layout{t.TempDir()}
			moved(t, s, "production", pushed(t, s, 1))
			var log bytes.Buffer
			f, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: promptfs.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Cache: dir})
			require.NoError(t, err)
			f.Close()
			if c.want != "" {
				assert.Contains(t, log.String(), c.want)
			} else {
				assert.NotContains(t, log.String(), "not cached")
				assert.FileExists(t, filepath.Join(dir, "current"))
			}
			for _, file := range c.has {
				first, _, _ := strings.Cut(file, "/")
				isGone := false
				for _, g := range c.gone {
					isGone = isGone || g == first
				}
				content, err := os.ReadFile(filepath.Join(dir, file))
				assert.Equal(t, isGone, os.IsNotExist(err), file)
				assert.Equal(t, map[bool]string{false: "mine"}[isGone], string(content), file)
			}
		})
	}
}

// A release is not written where a link leads.
func TestCacheWithALink(t *testing.T) {
	t.Parallel()
	s, dir, outside := layout{t.TempDir()}, t.TempDir(), t.TempDir()
	one := pushed(t, s, 1)
	moved(t, s, "production", one)
	require.NoError(t, os.WriteFile(filepath.Join(dir, cacheMark), nil, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "release-"+one.Encoded())))
	f, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: quiet, Cache: dir})
	require.NoError(t, err)
	f.Close()
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.NoFileExists(t, filepath.Join(dir, "current"))
}

// The second of two servers with the same folder says so, serves, and leaves the folder to
// the first.
func TestTwoServersWithOneCache(t *testing.T) {
	t.Parallel()
	s, dir := layout{t.TempDir()}, t.TempDir()
	one := pushed(t, s, 1)
	moved(t, s, "production", one)
	moved(t, s, "staging", pushed(t, s, 2))
	first, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: quiet, Cache: dir})
	require.NoError(t, err)
	var log bytes.Buffer
	o := Options{Files: promptfs.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Cache: dir}
	second, err := Follow(t.Context(), new(prompts.Registry), s, "staging", o)
	require.NoError(t, err)
	second.Close()
	assert.Contains(t, log.String(), "is the cache of another server; give each server a folder of its own")
	current, err := os.ReadFile(filepath.Join(dir, "current"))
	require.NoError(t, err)
	assert.Equal(t, "production "+one.String()+"\n", string(current))
	first.Close()
	log.Reset()
	third, err := Follow(t.Context(), new(prompts.Registry), s, "staging", o)
	require.NoError(t, err)
	third.Close()
	assert.NotContains(t, log.String(), "not cached", "the folder is free again")
}

// The password of the variables goes to the registry that a variable names, and to no other.
func TestPasswordOfTheVariables(t *testing.T) { // not parallel: the test sets the environment
	const noHost = "PROMPTS_REGISTRY_HOST must name the registry of PROMPTS_REGISTRY_USERNAME"
	for name, c := range map[string]struct {
		named string // HOST is the address of the registry
		want  string // the user that the registry gets
		err   string
	}{
		"named":          {"HOST", "ada", "401"},
		"another":        {"ghcr.io", "", "credential not found"},
		"the start":      {"127.0.0.1", "", "credential not found"},
		"none":           {"", "", noHost + `, got ""; write one host such as ghcr.io, without scheme and path`},
		"a list of them": {"ghcr.io,docker.io", "", noHost},
		"a scheme":       {"https://HOST", "", noHost},
		"a path":         {"HOST/team/prompts", "", noHost},
		"a slash":        {"HOST/", "", noHost},
		"a space":        {" HOST", "", noHost},
		"a user":         {"ada@HOST", "", noHost},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if user, _, ok := r.BasicAuth(); ok {
					got = user
				}
				w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
				w.WriteHeader(http.StatusUnauthorized)
			}))
			defer server.Close()
			host := server.Listener.Addr().String()
			t.Setenv("DOCKER_CONFIG", t.TempDir())
			t.Setenv("PROMPTS_REGISTRY_USERNAME", "ada")
			t.Setenv("PROMPTS_REGISTRY_PASSWORD", "secret")
			t.Setenv("PROMPTS_REGISTRY_HOST", strings.ReplaceAll(c.named, "HOST", host))
			_, err := Pull(t.Context(), open(t, host+"/team/prompts"), "production", Limits{})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.err)
			assert.NotContains(t, err.Error(), "secret")
			assert.Equal(t, c.want, got)
		})
	}
}
