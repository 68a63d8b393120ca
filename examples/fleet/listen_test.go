package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One change of the bucket is one notification for each client of each replica.
func TestListeners(t *testing.T) {
	t.Parallel()
	s := start(t, 3, stays(10))
	n := 3 * *listeners
	counts := make([]atomic.Int64, n)
	var acknowledged, told sync.WaitGroup
	acknowledged.Add(n)
	told.Add(n)
	ended := make(chan error, n)
	for i := range n {
		c := newClient(t, s.url)
		go func() { // ends with the stream, which the fleet ends
			ended <- c.listen(t.Context(), acknowledged.Done, func() {
				if counts[i].Add(1) == 1 {
					told.Done()
				}
			})
		}()
	}
	wait(t, &acknowledged)
	begin := time.Now()
	s.put("new.md", "It is new.")
	wait(t, &told)
	t.Logf("%d clients of 3 replicas have been told within %v of the beginning of the write", n, time.Since(begin))
	// One that came too much would come before that of another change.
	s.put("newer.md", "It is newer.")
	for _, r := range s.fleet {
		changed, cancel := signals(r.registry.OnChange)
		for r.registry.Len() < 13 { // with announce
			select {
			case <-changed:
			case <-time.After(long):
				require.Fail(t, "a replica has not followed")
			}
		}
		cancel()
	}
	s.stop() // which sends what is due, and then there is no more
	for range n {
		assert.NoError(t, <-ended)
	}
	for i := range counts {
		assert.EqualValues(t, 2, counts[i].Load(), "notifications of client %d", i)
	}
}

// While the bucket changes 100 times a second, every client hears of it again
// and again, and in the end all have the same list.
func TestStorm(t *testing.T) {
	t.Parallel()
	s := start(t, 3, stays(10), patient)
	const readers, last = 30, "zzz"
	ctx, cancel := context.WithTimeout(t.Context(), *storm+long)
	defer cancel()

	var acknowledged, following sync.WaitGroup
	acknowledged.Add(readers)
	lists, counts := make([][]string, readers), make([]int, readers)
	for i := range readers {
		c := newClient(t, s.url)
		changed := make(chan struct{}, 1)
		listening, stop := context.WithCancel(ctx)
		go func() { // ends when the reader has seen the last prompt
			_ = c.listen(listening, acknowledged.Done, func() {
				select {
				case changed <- struct{}{}:
				default: // the list has not been read since
				}
			})
		}()
		following.Go(func() {
			defer stop()
			for !slices.Contains(lists[i], last) {
				select {
				case <-changed:
					counts[i]++
				case <-ctx.Done():
					assert.NoError(t, ctx.Err(), "reader %d has not seen the end", i)
					return
				}
				var err error
				if lists[i], err = c.list(ctx); !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	wait(t, &acknowledged)
	const every = 10 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	changes := int(*storm / every)
	for i := range changes {
		<-tick.C
		if i%3 == 2 {
			s.remove(fmt.Sprintf("come-%d.md", (i-2)%50))
		} else {
			s.put(fmt.Sprintf("come-%d.md", i%50), fmt.Sprint("text ", i))
		}
	}
	s.put(last+".md", "The end.")
	following.Wait()
	want := s.names()
	for i, list := range lists { // no change came after the last prompt
		assert.Equal(t, want, list, "reader %d", i)
	}
	slices.Sort(counts)
	t.Logf("%d changes in %v: a client has read the list %d to %d times, the median is %d",
		changes, *storm, counts[0], counts[readers-1], counts[readers/2])
	assert.GreaterOrEqual(t, counts[0], int(*storm/(5*time.Second))+1, "a client has starved")
}

// signals returns a channel with a signal after changes.
func signals(onChange func(func()) func()) (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	return c, onChange(func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
}
