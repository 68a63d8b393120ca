package main

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A rolling restart cuts no request: a replica says that it is to end before it takes
// no more, so that no request meets a connection that is being closed.
func TestRollingRestartCutsNothing(t *testing.T) {
	t.Parallel()
	s := start(t, 3, map[string]string{"hello.md": "Hello."})
	done := make(chan struct{})
	var requests, cut atomic.Int64
	var walking sync.WaitGroup
	for range 16 {
		c := newClient(t, s.url)
		walking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				requests.Add(1)
				if _, err := c.try(t.Context(), "prompts/list", "", ""); !assert.NoError(t, err) {
					cut.Add(1)
				}
			}
		})
	}
	for i := range *restarts {
		s.restartGently(i % 3)
	}
	close(done)
	walking.Wait()
	t.Logf("%d of %d requests were cut by %d restarts", cut.Load(), requests.Load(), *restarts)
}
