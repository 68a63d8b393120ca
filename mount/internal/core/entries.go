package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// Entries are prompts, tools or resources that a mount has put into a server. T is the type of an
// entry in the SDK. At most one goroutine at a time calls Start, Begin, Update and Clear. nil has no
// entries.
type Entries[T any] struct {
	Mount *Mount
	Kind  string // prompt, tool or resource
	// Changing is held to look at what the server has, and to change it.
	Changing sync.Locker
	// All returns what the server must have, as text by name.
	All func() (map[string]string, error)
	// Own returns the names of the server's own entries. It may remove from added, the entries
	// of the mount, what is no longer there.
	Own func(added map[string]string) (own map[string]bool, err error)
	// Read returns the SDK's form of an entry.
	Read func(name, text string) (T, error)
	// Put adds entries to the server, or replaces them. Remove removes entries.
	Put    func(entries ...T)
	Remove func(names ...string)
	// Keep, if not nil, reports whether entries that are no longer in All stay in the server until
	// the next Update.
	Keep func(put, gone int) bool

	now atomic.Pointer[state]
}

// state is what the server has since an update. The maps are not to be changed.
type state struct {
	wanted map[string]string // what All has returned
	added  map[string]string // the entries of the mount, by name
}

func (e *Entries[T]) state() state {
	if e == nil || e.now.Load() == nil {
		return state{}
	}
	return *e.now.Load()
}

// Wants reports whether the mount has an entry with a name, also if the server has one of its
// own under the name.
func (e *Entries[T]) Wants(name string) bool { return e.state().wanted[name] != "" }

// Has reports whether the server has an entry of the mount under a name, unless the
// application has replaced the entry.
func (e *Entries[T]) Has(name string) bool { return e.state().added[name] != "" }

type update[T any] struct {
	state
	put    []T
	taken  []string // names that the server has for entries of its own
	failed []error  // of Read
}

func (e *Entries[T]) next() (u update[T], err error) {
	if u.wanted, err = e.All(); err != nil {
		return u, fmt.Errorf("%s: list the %ss of the registry: %w", e.Mount.Name, e.Kind, err)
	}
	u.added = map[string]string{}
	maps.Copy(u.added, e.state().added)
	if len(u.wanted) == 0 && len(u.added) == 0 {
		return u, nil
	}
	own, err := e.own(u.added)
	if err != nil {
		return u, err
	}
	for _, name := range slices.Sorted(maps.Keys(u.wanted)) {
		text := u.wanted[name]
		if own[name] {
			u.taken = append(u.taken, name)
			continue
		}
		if u.added[name] == text {
			continue
		}
		entry, err := e.Read(name, text)
		if err != nil {
			u.failed = append(u.failed, fmt.Errorf("%s: %s %q: %w", e.Mount.Name, e.Kind, name, err))
			continue
		}
		u.put, u.added[name] = append(u.put, entry), text
	}
	return u, nil
}

// own returns the names of the server's own entries, and removes them from added.
func (e *Entries[T]) own(added map[string]string) (map[string]bool, error) {
	own, err := e.Own(added)
	maps.DeleteFunc(added, func(name, _ string) bool { return own[name] })
	if err != nil {
		return own, fmt.Errorf("%s: list the server's %ss: %w", e.Mount.Name, e.Kind, err)
	}
	return own, nil
}

func (e *Entries[T]) apply(u update[T]) (changed bool) {
	e.now.Store(&u.state) // first, so that Has knows each entry of the server
	if len(u.put) > 0 {
		e.Put(u.put...)
	}
	left, gone := map[string]string{}, []string(nil)
	for name, text := range u.added {
		if u.wanted[name] != "" {
			left[name] = text
		} else {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 && (e.Keep == nil || !e.Keep(len(u.put), len(gone))) {
		e.Remove(gone...)
		e.now.Store(&state{u.wanted, left})
	}
	return len(u.put)+len(gone) > 0
}

// Begin returns a function that puts the entries into the server, or an error if the server has
// entries of its own under the names. The caller holds Changing.
func (e *Entries[T]) Begin() (put func(), err error) {
	if e == nil {
		return func() {}, nil
	}
	u, err := e.next()
	if err != nil {
		return nil, err
	}
	for _, name := range u.taken {
		u.failed = append(u.failed, e.Mount.Exists(e.Kind, name))
	}
	return func() { e.apply(u) }, errors.Join(u.failed...)
}

// Start puts the entries into the server, or returns the error of Begin.
func (e *Entries[T]) Start() error {
	if e == nil {
		return nil
	}
	e.Changing.Lock()
	defer e.Changing.Unlock()
	put, err := e.Begin()
	if err == nil {
		put()
	}
	return err
}

// Update brings the server up to date, and reports whether something has changed. It logs each
// entry that is missing: entries of the server's own, under the same name, stay unchanged.
func (e *Entries[T]) Update() (changed bool) {
	if e == nil {
		return false
	}
	e.Changing.Lock()
	u, err := e.next()
	if err != nil {
		u.failed = append(u.failed, err)
	} else {
		changed = e.apply(u)
	}
	e.Changing.Unlock() // first, since a logger may block
	for _, err := range u.failed {
		e.Mount.logUnmounted(context.Background(), e.Kind, err)
	}
	for _, name := range u.taken {
		e.Mount.ReportOwn(context.Background(), e.Kind, name)
	}
	return changed
}

// Clear removes the entries of the mount from the server, and no entry of the server's own.
func (e *Entries[T]) Clear() {
	if len(e.state().added) == 0 {
		return
	}
	e.Changing.Lock()
	added := maps.Clone(e.state().added)
	_, err := e.own(added)
	e.Remove(slices.Sorted(maps.Keys(added))...)
	e.now.Store(nil)
	e.Changing.Unlock() // first, since a logger may block
	if err != nil {
		event := "cannot list the server's tools"
		if e.Kind == "resource" {
			event = "cannot list the server's resources"
		}
		e.Mount.Server.Log(context.Background(), slog.LevelWarn, event, slog.Any("error", err))
	}
}

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
