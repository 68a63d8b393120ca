package notify

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// crowd subscribes clients, each with its function, and returns the function to change
// the source.
func crowd(t *testing.T, sends []func() error) (change func()) {
	n := New(func(changed func()) (cancel func()) {
		change = changed
		return func() {}
	}, 0)
	for _, send := range sends {
		c := new(Courier)
		c.Start(send, func(error) {})
		s := n.Subscribe(c)
		t.Cleanup(s.Unsubscribe)
	}
	return change
}

// Clients that block the goroutine that notifies them, in whatever number and order, or end
// it, delay the others by milliseconds.
func TestBlockedClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n, soon = 2000, 100 * time.Millisecond
		release := make(chan struct{})
		var told, blocked atomic.Int64
		var sends []func() error
		for i := range n {
			sends = append(sends, func() error {
				switch {
				case i%2 == 0:
					told.Add(1)
				case i%3 == 0:
					runtime.Goexit()
				default:
					blocked.Add(1)
					<-release
				}
				return nil
			})
		}
		change := crowd(t, sends)
		change()
		time.Sleep(MinPause + soon)
		synctest.Wait()
		assert.EqualValues(t, n/2, told.Load())
		stuck := blocked.Load()
		change()
		time.Sleep(MinPause + soon)
		synctest.Wait()
		assert.EqualValues(t, n, told.Load())
		assert.Equal(t, stuck, blocked.Load(), "a blocked client takes no second goroutine")
		close(release)
		synctest.Wait()
		assert.Greater(t, blocked.Load(), stuck, "it is told when it is free again")
	})
}

// Slow clients are notified at the same time, as if each had a goroutine.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 5000
		var told atomic.Int64
		sends := make([]func() error, n)
		for i := range sends {
			sends[i] = func() error {
				time.Sleep(time.Millisecond)
				told.Add(1)
				return nil
			}
		}
		change := crowd(t, sends)
		change()
		time.Sleep(MinPause + 50*time.Millisecond)
		synctest.Wait()
		assert.EqualValues(t, n, told.Load())
	})
}

// Send runs in one goroutine at a time, not after Stop, and not after an error.
func TestCourier(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := new(Courier)
		c.Deliver() // to nobody
		entered, leave := make(chan struct{}), make(chan error)
		calls, failures := 0, 0
		c.Start(func() error {
			calls++
			entered <- struct{}{}
			return <-leave
		}, func(error) { failures++ })
		var running sync.WaitGroup
		running.Go(c.Deliver)
		<-entered
		c.Deliver() // leaves it to the other
		c.Deliver()
		leave <- nil
		<-entered
		stopped := false
		running.Go(func() { c.Stop(); stopped = true })
		synctest.Wait()
		assert.False(t, stopped, "while a message is being sent")
		leave <- nil
		running.Wait()
		c.Deliver()
		assert.Equal(t, 2, calls)

		c.Start(func() error { calls++; return errors.New("gone") }, func(error) { failures++ })
		c.Deliver()
		c.Deliver()
		assert.Equal(t, 3, calls)
		assert.Equal(t, 1, failures)
	})
}
