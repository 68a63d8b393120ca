package core

import (
	"runtime"
	"sync"
	"time"
	"weak"
)

// quiet is how long a registry must be unchanged before its changes are mounted.
const quiet = 20 * time.Millisecond

// Follow calls begin, and then update on a goroutine of its own after each burst of changes: when
// no change has come for 20 ms, or after the time longest. stop waits for the goroutine and calls
// end, the first time only. After an error of begin, Follow calls end and returns the error.
func Follow(onChange func(changed func()) (cancel func()), longest time.Duration, begin func() error, update, end func()) (stop func(), err error) {
	changed, stopped := make(chan struct{}, 1), make(chan struct{})
	cancel := onChange(func() { // before begin, so that no change is missed
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err := begin(); err != nil {
		cancel()
		end()
		return nil, err
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-changed:
			case <-stopped:
				return
			}
			if !settle(changed, stopped, longest) {
				return
			}
			update()
		}
	})
	return sync.OnceFunc(func() {
		close(stopped)
		running.Wait()
		cancel()
		end()
	}), nil
}

// settle waits for the end of a burst. It reports false if stop is closed.
func settle(changed, stop <-chan struct{}, longest time.Duration) bool {
	latest := time.After(longest)
	for {
		select {
		case <-changed:
		case <-time.After(quiet):
			return true
		case <-latest:
			return true
		case <-stop:
			return false
		}
	}
}

// States has the state of each server of an SDK that has had a mount: an SDK has no place for
// a state, and no way to list or remove a middleware, filter or hook. It keeps neither the
// servers nor the states alive: what a mount adds to a server keeps the state of the server.
type States[K, V any] struct {
	mu  sync.Mutex // protects the field below, and is held to make a state
	all map[weak.Pointer[K]]weak.Pointer[V]
}

// Of returns the state of a server, which create makes if need be.
func (s *States[K, V]) Of(server *K, create func() *V) *V {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(server)
	known, ok := s.all[key]
	if v := known.Value(); v != nil {
		return v
	}
	if s.all == nil {
		s.all = map[weak.Pointer[K]]weak.Pointer[V]{}
	}
	v := create()
	s.all[key] = weak.Make(v)
	if !ok {
		runtime.AddCleanup(server, func(key weak.Pointer[K]) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.all, key)
		}, key)
	}
	return v
}
