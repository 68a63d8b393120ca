package notify

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// When the last client leaves in the middle of a burst, no timer, subscriber or
// subscription to the source is left, and a client that comes later is not
// notified of that burst.
func TestLastSubscriberLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var change func()
		n := New(func(changed func()) (cancel func()) {
			change = changed
			return func() { change = nil }
		}, 0)
		first, last := n.Subscribe(new(Courier)), n.Subscribe(new(Courier))
		change()
		first.Unsubscribe()
		assert.NotNil(t, change)
		assert.True(t, n.debouncer.active())
		last.Unsubscribe()
		last.Unsubscribe()
		assert.Nil(t, change, "subscribed to the source")
		assert.False(t, n.debouncer.active(), "a timer")
		assert.Empty(t, n.subscribers)

		told := 0
		client := new(Courier)
		client.Start(func() error { told++; return nil }, nil)
		later := n.Subscribe(client)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, told)
		assert.False(t, later.Pending())
		change()
		time.Sleep(MinPause)
		synctest.Wait()
		assert.Equal(t, 1, told)
		later.Unsubscribe()
	})
}

// A source that has panicked is subscribed to again for the next client.
func TestSourcePanics(t *testing.T) {
	t.Parallel()
	calls := 0
	n := New(func(func()) (cancel func()) {
		if calls++; calls == 1 {
			panic("not now")
		}
		return func() {
			if calls == 2 {
				panic("nor now")
			}
		}
	}, 0)
	c := new(Courier)
	assert.Panics(t, func() { n.Subscribe(c) })
	assert.Panics(t, n.Subscribe(c).Unsubscribe)
	assert.Equal(t, 2, calls)
	n.Subscribe(c).Unsubscribe()
	assert.Equal(t, 3, calls)
	assert.Zero(t, n.Subscribers())
}
