//go:build unix

package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptoci"
)

// A command that is killed at any time leaves no release, label, record or cache half written,
// and the next one succeeds.
func TestKills(t *testing.T) {
	t.Parallel()
	rounds := 25
	if testing.Short() {
		rounds = 4
	}
	for name, args := range map[string][]string{
		"push":     {"push", "prompts", "oci-layout:releases:production"},
		"tag":      {"tag", "oci-layout:releases:production", "oci-layout:other:production"},
		"rollback": {"rollback", "oci-layout:releases:production"},
		"cache":    {"serve", "--http", "127.0.0.1:0", "oci-layout:releases:production", "--cache", "cache"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "prompts"), 0o755))
			runIn := func(after time.Duration, args ...string) error {
				out := &seenOutput{serves: func() {}}
				p := exec.CommandContext(t.Context(), "prompts", args...)
				p.Dir, p.Stdout, p.Stderr = dir, out, out
				p.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+dir, "GORACE=atexit_sleep_ms=0")
				out.serves = func() { _ = p.Process.Signal(syscall.SIGTERM) }
				require.NoError(t, p.Start())
				if after > 0 {
					defer time.AfterFunc(after, func() { _ = p.Process.Kill() }).Stop()
				}
				err := p.Wait()
				if err != nil {
					err = fmt.Errorf("%q: %w: %s", args, err, out)
				}
				return err
			}
			push := func(n int) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "prompts", "a.md"), fmt.Appendf(nil, "version %d\n", n), 0o600))
				require.NoError(t, runIn(0, "push", "prompts", "oci-layout:releases:production"))
			}
			push(0)
			push(1)
			start := time.Now()
			require.NoError(t, runIn(0, args...))
			took := time.Since(start)
			killed := 0
			for n := range rounds {
				switch name { // what is new to the command
				case "push":
					require.NoError(t, os.WriteFile(filepath.Join(dir, "prompts", "a.md"), fmt.Appendf(nil, "round %d\n", n), 0o600))
				default:
					push(n + 2)
				}
				if runIn(took*time.Duration(n+1)/time.Duration(rounds), args...) != nil {
					killed++
				}
				checkStore(t, filepath.Join(dir, "releases"))
				if name == "tag" {
					checkStore(t, filepath.Join(dir, "other"))
				}
				if name == "cache" {
					f, err := promptoci.Follow(t.Context(), new(prompts.Registry), storeIn(t, filepath.Join(dir, "none")), "production", promptoci.Options{Files: promptfs.Options{Logger: slog.New(slog.DiscardHandler)}, Cache: filepath.Join(dir, "cache")})
					require.NoError(t, err, "the cache has a release")
					f.Close()
				}
				if name == "rollback" {
					push(rounds + 2 + n) // the killed command may have moved the label
				}
				require.NoError(t, runIn(0, args...), "the next command succeeds")
			}
			t.Logf("%d of %d were killed", killed, rounds)
			if name == "cache" {
				entries, err := os.ReadDir(filepath.Join(dir, "cache"))
				require.NoError(t, err)
				var left []string
				for _, e := range entries {
					left = append(left, strings.SplitN(e.Name(), "-", 2)[0])
				}
				assert.ElementsMatch(t, []string{".prompts", "current", "release"}, left, "nothing half written is left")
			}
		})
	}
}

// checkStore checks that each label and each release of a store is complete, and that the
// records of the moves can be read.
func checkStore(t *testing.T, dir string) {
	t.Helper()
	s := storeIn(t, dir)
	all, err := promptoci.Releases(t.Context(), s)
	require.NoError(t, err)
	for _, r := range all {
		_, err := promptoci.Pull(t.Context(), s, r.Digest.String(), promptoci.Limits{})
		require.NoError(t, err)
	}
	_, err = promptoci.Pull(t.Context(), s, "production", promptoci.Limits{})
	require.NoError(t, err)
	for _, err := range promptoci.Log(t.Context(), s, "production") {
		require.NoError(t, err)
	}
}
