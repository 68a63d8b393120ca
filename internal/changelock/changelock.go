// Package changelock has the lock that a registry holds while it changes. A change from
// inside of a change would wait for itself forever, so it panics.
package changelock

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Lock is a lock for changes. The zero value is unlocked.
type Lock struct {
	mu     sync.Mutex
	holder atomic.Uint64 // the goroutine that calls the application; 0 for none

	// Only the holder uses the fields below.
	calling string // what it calls
	stack   [64]byte
}

// Lock waits for other changes. name is the name of the change. It panics if the
// application calls it from inside of a change on the same goroutine.
func (l *Lock) Lock(name string) {
	if l.mu.TryLock() {
		return
	}
	if id := l.holder.Load(); id != 0 && id == goroutine(make([]byte, 64)) {
		panic(fmt.Sprintf("%s is called inside %s of the same registry, and would wait forever; inside Update, use the Tx; elsewhere, start a goroutine", name, l.calling))
	}
	l.mu.Lock()
}

// Calls notes that the holder calls the application's code, by name. It takes
// a few microseconds, so a change that calls none does without.
func (l *Lock) Calls(name string) {
	l.calling = name
	if l.holder.Load() == 0 {
		l.holder.Store(goroutine(l.stack[:]))
	}
}

// Unlock ends the change.
func (l *Lock) Unlock() {
	l.holder.Store(0)
	l.mu.Unlock()
}

// goroutine returns the number of the calling goroutine, or 0 if the runtime does not
// print it as it has since Go 1.0. It serves the panic of Lock alone: without the number,
// such a change waits forever.
func goroutine(stack []byte) (id uint64) {
	text, _ := bytes.CutPrefix(stack[:runtime.Stack(stack, false)], []byte("goroutine "))
	for i := 0; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		id = id*10 + uint64(text[i]-'0')
	}
	return id
}
