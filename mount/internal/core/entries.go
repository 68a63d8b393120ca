package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// Entries are prompts, tools or resources that a mount has put into a server. T is the SDK's type of
// an entry. One goroutine at a time calls Start, Begin, Update and Clear. nil has no entries.
type Entries[T any] struct {
	Mount *Mount
	Kind  string // prompt, tool or resource
	// Changing is held to look at what the server has, and to change it.
	Changing sync.Locker
	// All returns what the server must have, as text by name.
	All func() (map[string]string, error)
	// Own returns the names of the server's own entries. It may remove from added, the entries
	// of the mount, those that the server no longer has.
	Own    func(added map[string]string) (own map[string]bool, err error)
	Read   func(name, text string) (T, error) // returns the SDK's form of an entry
	Put    func(entries ...T)                 // adds entries to the server, or replaces them
	Remove func(names ...string)
	// Keep, if not nil, reports whether entries that are no longer in All stay until the next Update.
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

// Wants reports whether the mount has an entry with a name, also if the server's own replaces it.
func (e *Entries[T]) Wants(name string) bool { return e.state().wanted[name] != "" }

// Has reports whether the server has got an entry of the mount under a name.
func (e *Entries[T]) Has(name string) bool { return e.state().added[name] != "" }

type update[T any] struct {
	state
	put    []T
	taken  []string         // names that the server has for entries of its own
	failed map[string]error // of Read, by name
}

func (e *Entries[T]) next() (u update[T], err error) {
	if u.wanted, err = e.All(); err != nil {
		return u, fmt.Errorf("%s: list the %ss of the registry: %w", e.Mount.Name, e.Kind, err)
	}
	u.added, u.failed = map[string]string{}, map[string]error{}
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
		switch {
		case own[name]:
			u.taken = append(u.taken, name)
		case u.added[name] != text:
			entry, err := e.Read(name, text)
			if err != nil {
				u.failed[name] = fmt.Errorf("%s: %s %q: %w", e.Mount.Name, e.Kind, name, err)
				continue
			}
			u.put, u.added[name] = append(u.put, entry), text
		}
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
// entries of its own with the same names. The caller holds Changing.
func (e *Entries[T]) Begin() (put func(), err error) {
	if e == nil {
		return func() {}, nil
	}
	u, err := e.next()
	if err != nil {
		return nil, err
	}
	for _, name := range u.taken {
		u.failed[name] = e.Mount.Exists(e.Kind, name)
	}
	for _, name := range slices.Sorted(maps.Keys(u.failed)) {
		err = errors.Join(err, u.failed[name])
	}
	return func() { e.apply(u) }, err
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
// entry that is missing, because the server has one of its own, or because of an error.
func (e *Entries[T]) Update() (changed bool) {
	if e == nil {
		return false
	}
	e.Changing.Lock()
	u, err := e.next()
	if err == nil {
		changed = e.apply(u)
	}
	e.Changing.Unlock() // first, since a logger may block
	ctx := context.Background()
	e.Mount.LogUnlisted(ctx, e.Kind, err)
	for _, name := range slices.Sorted(maps.Keys(u.failed)) { // a limit of the log drops the last ones
		e.Mount.logUnmounted(ctx, e.Kind, name, u.failed[name])
	}
	for _, name := range u.taken {
		e.Mount.ReportOwn(ctx, e.Kind, name)
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
	e.Mount.LogUnlisted(context.Background(), e.Kind, err)
}

const quiet = 20 * time.Millisecond // without a change, before the changes are mounted

// Follow calls begin, and then update on a goroutine of its own after each burst of changes: 20 ms
// after the last change, or after the time longest. stop waits for the goroutine and calls end,
// once. After an error of begin, Follow calls end and returns the error.
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
		var settled, latest <-chan time.Time // of a burst, or nil
		for {
			select {
			case <-changed:
				if settled = time.After(quiet); latest == nil {
					latest = time.After(longest)
				}
				continue
			case <-settled:
			case <-latest:
			case <-stopped:
				return
			}
			settled, latest = nil, nil
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

// States has the state of each server of an SDK that has had a mount: an SDK has no place for a
// state, and no way to list or remove a middleware, filter or hook, which keep the state alive.
// States keeps neither the servers nor the states alive.
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
