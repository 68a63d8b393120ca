package promptfs_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// inotifyLimit names the limit that a child process of a test sets to 1.
const inotifyLimit = "PROMPTFS_TEST_INOTIFY_LIMIT"

// An exhausted limit of inotify is logged by its name, with the command that
// raises it. The limit is that of a user namespace, in a child process.
func TestExhaustedInotifyLimitIsNamed(t *testing.T) {
	if limit := os.Getenv(inotifyLimit); limit != "" {
		watchWithLimit(t, limit)
		return
	}
	t.Parallel()
	for limit, want := range map[string]string{
		"max_inotify_watches":   "limit fs.inotify.max_user_watches is reached (1 watch per directory); raise the limit: sysctl fs.inotify.max_user_watches=1048576",
		"max_inotify_instances": "limit fs.inotify.max_user_instances or the limit of open files is reached; raise the limit: sysctl fs.inotify.max_user_instances=1024, or ulimit -n 65536",
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestExhaustedInotifyLimitIsNamed$")
		cmd.Env = append(os.Environ(), inotifyLimit+"="+limit)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		logged, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Skip("this system permits no user namespace: ", err)
		}
		require.NoError(t, err, "%s", logged)
		assert.Contains(t, string(logged), want)
		assert.NotContains(t, string(logged), "no space left on device")
	}
}

// watchWithLimit watches a folder with a folder in it, until both are loaded.
func watchWithLimit(t *testing.T, limit string) {
	one := []byte("1")
	if limit == "max_inotify_instances" {
		one = []byte("0") // each watcher is one
	}
	require.NoError(t, os.WriteFile("/proc/sys/user/"+limit, one, 0))
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "a.md"), []byte("a"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	folder := promptfs.NewDir(&prompts.Registry{}, dir, promptfs.Options{Logger: slog.New(slog.NewTextHandler(cancelling{cancel}, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	folder.Watch(ctx) // which the first warning ends
}

// cancelling writes records to the standard error, and then cancels.
type cancelling struct{ cancel func() }

func (c cancelling) Write(b []byte) (int, error) {
	c.cancel()
	return os.Stderr.Write(b)
}
