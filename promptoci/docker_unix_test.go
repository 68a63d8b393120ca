//go:build unix

package promptoci

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The wait for Docker's configuration ends with the context: its file may be a pipe. The next
// wait is for the same reading.
func TestDockerConfigurationIsAPipe(t *testing.T) { // not parallel: the test sets the environment
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	require.NoError(t, syscall.Mkfifo(config, 0o600))
	t.Setenv("DOCKER_CONFIG", dir)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	planted := errors.New("planted")
	ctx, cancel := context.WithCancelCause(t.Context())
	opened := make(chan *os.File)
	go func() { // ends when the pipe is read
		f, err := os.OpenFile(config, os.O_WRONLY, 0)
		assert.NoError(t, err)
		cancel(planted)
		opened <- f
	}()
	store := open(t, server.Listener.Addr().String()+"/team/prompts")
	for range 2 {
		_, err := Pull(ctx, store, "production", Limits{})
		assert.ErrorIs(t, err, planted)
	}
	require.NoError(t, (<-opened).Close())
	reading <- struct{}{} // the reading has ended
	<-reading
}
