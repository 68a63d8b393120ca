package promptoci

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// A Follower asks once in an interval, less often after errors, and as late as it is told.
func TestIntervals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{Store: layout{t.TempDir()}}
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
		asked(time.Hour)
		assert.True(t, f.Status().Synced)
	})
}

// A release with a prompt that a follower of the registry rejects is rejected as a whole,
// with the file.
func TestRejectedByAFollower(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, reg, log := layout{t.TempDir()}, new(prompts.Registry), &journal{}
		_, err := prompttools.New(reg, prompttools.Options{
			Select: func(prompts.Prompt) bool { return true },
			ToolName: func(prompt string) string {
				if prompt == "extra" {
					return "no tool"
				}
				return prompt
			},
		})
		require.NoError(t, err)
		one := pushed(t, s, 1)
		moved(t, s, "production", one)
		f, err := Follow(t.Context(), reg, s, "production", Options{Files: log.options()})
		require.NoError(t, err)
		defer f.Close()
		files := filesOf(2)
		files["extra.md"] = []byte("hello")
		bad, err := Build(files, Info{})
		require.NoError(t, err)
		require.NoError(t, Push(t.Context(), s, bad))
		moved(t, s, "production", bad.Digest)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []digest.Digest{one, bad.Digest}, []digest.Digest{f.Status().Release, f.Status().Refused})
		assert.ErrorContains(t, f.Status().Err, `extra.md: tool name "no tool"`)
		assert.Contains(t, log.String(), `msg="invalid prompt file" path=extra.md`)
		assert.Equal(t, one.String(), releaseOf(t, reg).ID)
	})
}

// A panic in application code is reported, and ends neither the process nor the Follower.
func TestPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, log := layout{t.TempDir()}, &journal{}
		one, two := pushed(t, s, 1), pushed(t, s, 2)
		moved(t, s, "production", one)
		o := Options{Files: log.options(), OnStatus: func(Status) { panic("by OnStatus") }}
		o.Files.OnReload = func(promptfs.Report) { panic("by OnReload") }
		f, err := Follow(t.Context(), new(prompts.Registry), s, "production", o)
		require.NoError(t, err)
		defer f.Close()
		moved(t, s, "production", two)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, two, f.Status().Release)
		assert.Contains(t, log.String(), "by OnStatus")
		assert.Contains(t, log.String(), "by OnReload")
	})
}

// An invalid release is rejected as a whole, once, and the next one is served.
func TestRejectedRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, reg, log := layout{t.TempDir()}, new(prompts.Registry), &journal{}
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
		assert.Equal(t, one.String(), releaseOf(t, reg).ID)
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
		s := layout{t.TempDir()}
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
				_ = srv.Handle(ctx, []byte(listenLine), transport.Exchange{Send: func(message []byte, _ transport.Code, _ bool) error { return count(2*i+1, message) }})
			})
		}
		synctest.Wait()
		_, err := Rollback(t.Context(), s, Move{Label: "production", By: "ada", Reason: "bad"})
		require.NoError(t, err)
		for _, d := range []time.Duration{defaultInterval + time.Second, time.Hour} {
			time.Sleep(d)
			synctest.Wait()
			for _, reg := range registries {
				assert.Equal(t, one.String(), releaseOf(t, reg).ID)
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
	s := layout{t.TempDir()}
	one := pushed(t, s, 1)
	moved(t, s, "production", one)
	o := Options{Files: quiet, Cache: t.TempDir()}
	f, err := Follow(t.Context(), new(prompts.Registry), s, "production", o)
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
	for name, o := range map[string]Options{"no cache": {Files: quiet}, "an empty cache": {Files: quiet, Cache: t.TempDir()}} {
		_, err = Follow(t.Context(), new(prompts.Registry), dead, "production", o)
		assert.ErrorContains(t, err, "follow production", name)
	}
	_, err = Follow(t.Context(), new(prompts.Registry), dead, "staging", o)
	assert.Error(t, err, "the cache is of another label")
	// The same release after a move is one folder, and a damaged one is no release.
	moved(t, s, "production", pushed(t, s, 2))
	f, err = Follow(t.Context(), new(prompts.Registry), s, "production", o)
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
