package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client that walks all pages through the balancer, while prompts come and go
// and replicas are killed and started again, sees each prompt that stays once.
func TestWalk(t *testing.T) {
	t.Parallel()
	files := stays(*many)
	s := start(t, 3, files)
	done := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() { // prompts come and go, all over the list
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				s.put(fmt.Sprintf("%c/come-%d.md", 'a'+i%26, i%100), "text")
				s.remove(fmt.Sprintf("%c/come-%d.md", 'a'+(i+50)%26, (i+50)%100))
			}
		}
	})
	var restarted atomic.Int64
	background.Go(func() { // one replica after the other is killed
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				s.restart(i % 3)
				restarted.Add(1)
			}
		}
	})
	const walkers, walks = 4, 15
	var walking sync.WaitGroup
	for range walkers {
		c := newClient(t, s.url)
		walking.Go(func() {
			for walked := 0; (walked < walks || restarted.Load() < 3) && !t.Failed(); walked++ {
				names, err := c.list(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				assert.True(t, slices.IsSorted(names))
				assert.Equal(t, names, slices.Compact(slices.Clone(names)), "a name is there twice")
				stayed := slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "stay/") })
				assert.Len(t, stayed, len(files))
			}
		})
	}
	walking.Wait()
	close(done)
	background.Wait()
	t.Logf("%d walks or more of %d prompts, while replicas were killed %d times", walkers*walks, len(files), restarted.Load())
}

// The balancer gives each request to the next replica, and to another one if
// that is down.
func TestBalancer(t *testing.T) {
	t.Parallel()
	s := start(t, 2, map[string]string{"hello.md": "Hello."})
	c := newClient(t, s.url)
	for range 4 {
		names, err := c.list(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"announce", "hello"}, names)
	}
	s.fleet[0].kill()
	// A connection that the balancer has kept can still look open. A client
	// repeats what is lost on it.
	for range s.fleet {
		_, err := c.list(t.Context())
		require.NoError(t, err)
	}
	for range 4 {
		a, err := c.try(t.Context(), "prompts/list", "", "")
		require.NoError(t, err)
		assert.Len(t, a.Result.Prompts, 2)
	}
	s.fleet = s.fleet[1:] // of which the other is left to stop
}
