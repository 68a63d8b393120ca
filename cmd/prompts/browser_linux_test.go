package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The token of the preview is in no list of processes: the browser gets a page that leads to
// the address, that only the user can read, and that is removed when the address is open or the
// preview ends. Browsers of Snap read only files of the home folder that are not hidden.
func TestTokenForTheBrowser(t *testing.T) {
	t.Parallel()
	for isOpened, hasHome := range map[bool]bool{true: true, false: false} {
		bin, temp, home, seen := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "seen")
		folder := home
		if !hasHome {
			require.NoError(t, os.Remove(home))
			folder = temp
		}
		require.NoError(t, syscall.Mkfifo(seen, 0o600))
		const browser = "#!/bin/sh\n{ echo \"$@\"; stat -c %a \"$1\"; cat \"$1\"; } >'SEEN'\n"
		require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(strings.ReplaceAll(browser, "SEEN", seen)), 0o700))
		p := exec.CommandContext(t.Context(), "prompts", "preview", folderOfHello(t))
		p.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+temp, "HOME="+home)
		var out bytes.Buffer
		p.Stdout = &out
		require.NoError(t, p.Start())
		text, err := os.ReadFile(seen) // until the browser has written
		require.NoError(t, err)
		argv, rest, _ := strings.Cut(string(text), "\n")
		assert.NotContains(t, argv, "token")
		assert.Equal(t, folder, filepath.Dir(argv))
		assert.NotEqual(t, ".", filepath.Base(argv)[:1])
		assert.True(t, strings.HasPrefix(rest, "600\n"), rest)
		match := regexp.MustCompile(`url=(http://\S+\?token=\w+)"`).FindStringSubmatch(rest)
		require.Len(t, match, 2, rest)
		if isOpened {
			response, err := http.Get(match[1])
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.NoFileExists(t, argv)
		} else {
			assert.FileExists(t, argv)
		}
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		require.NoError(t, p.Wait())
		assert.Equal(t, match[1]+"\n", out.String())
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}
