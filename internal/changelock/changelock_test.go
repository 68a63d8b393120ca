package changelock

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Changes of other goroutines wait, and one of the same goroutine panics.
func TestLock(t *testing.T) {
	t.Parallel()
	var l Lock
	var order []string
	var all sync.WaitGroup
	l.Lock("Update")
	l.Calls("Update")
	waits := make(chan struct{})
	all.Go(func() {
		close(waits)
		l.Lock("Add")
		order = append(order, "second")
		l.Unlock()
	})
	<-waits
	assert.PanicsWithValue(t, "Add is called inside Update of the same registry, and would wait forever; inside Update, use the Tx; elsewhere, start a goroutine",
		func() { l.Lock("Add") })
	l.Calls("OnChange")
	assert.Panics(t, func() { l.Lock("Set") })
	order = append(order, "first")
	l.Unlock()
	all.Wait()
	assert.Equal(t, []string{"first", "second"}, order)

	l.Lock("Add") // the number of the goroutine is gone
	assert.Zero(t, l.holder.Load())
	l.Unlock()
}

func BenchmarkCalls(b *testing.B) {
	var l Lock
	b.ReportAllocs()
	for b.Loop() {
		l.Lock("Update")
		l.Calls("Update")
		l.Unlock()
	}
}
