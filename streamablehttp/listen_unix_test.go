//go:build unix

package streamablehttp_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/streamablehttp"
)

// A signal ends ListenAndServe in good order.
func TestListenAndServeSignal(t *testing.T) {
	ours := make(chan os.Signal, 1) // a signal that comes too early must not end the test
	signal.Notify(ours, syscall.SIGTERM)
	defer signal.Stop(ours)
	served := make(chan error, 1)
	go func() {
		served <- streamablehttp.ListenAndServe(t.Context(), "127.0.0.1:0", helloServer(), streamablehttp.Options{})
	}()
	for {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		select {
		case err := <-served:
			assert.NoError(t, err)
			return
		case <-time.After(10 * time.Millisecond): // it was not listening yet
		}
	}
}
