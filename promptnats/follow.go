package promptnats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts/promptfs"
)

// follow loads the bucket, and follows it until ctx ends or an error occurs. It reports
// whether the registry was in sync.
func (f *Follower) follow(ctx context.Context, states <-chan nats.Status) (wasSynced bool, err error) {
	nc := f.js.Conn()
	for len(states) > 0 {
		<-states // of the time before this attempt
	}
	switch nc.Status() {
	case nats.CONNECTED:
	case nats.CLOSED:
		return false, nats.ErrConnectionClosed
	default:
		return false, notConnected(nc)
	}
	watcher, err := f.place.open(ctx, f.js, f.options.timing)
	if err != nil {
		return false, err
	}
	// Two goroutines read and look, until this function ends.
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	s, leave := f.watch(watcher, states)
	defer leave()
	wg.Go(func() { s.read(ctx) })
	wg.Go(func() { s.watchBucket(ctx) })
	defer func() {
		cancel()
		watcher.stop()
		wg.Wait()
		if nc.Status() == nats.CONNECTED {
			watcher.removeConsumer()
		}
	}()
	if err := s.load(ctx); err != nil {
		return false, err
	}
	return true, s.apply(ctx)
}

func notConnected(nc *nats.Conn) error {
	if err := nc.LastError(); err != nil {
		return fmt.Errorf("%w: %w", errNotConnected, err)
	}
	return errNotConnected
}

type watchSession struct {
	*Follower
	watcher *watcher
	entries chan entry
	wrong   chan error // what ends the session
	states  <-chan nats.Status
	changed <-chan struct{} // gets a value when the registry has changed
}

// watch returns a watchSession, and a function that ends its subscription to the registry. The
// subscription begins before the load, because a name may become available during the load.
func (f *Follower) watch(watcher *watcher, states <-chan nats.Status) (*watchSession, func()) {
	changed, leave := signals(f.registry.OnChange)
	return &watchSession{f, watcher, make(chan entry), make(chan error, 2), states, changed}, leave
}

// signals returns a channel of one element, which receives a signal for each change that comes
// when the channel is empty, until cancel is called.
func signals(onChange func(changed func()) (cancel func())) (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	return c, onChange(func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
}

// read waits, and so does the broker, while the registry is changed.
func (s *watchSession) read(ctx context.Context) {
	for {
		e, err := s.watcher.next()
		if err != nil {
			if s.js.Conn().IsClosed() {
				err = nats.ErrConnectionClosed
			}
			s.wrong <- err
			return
		}
		select {
		case s.entries <- e:
		case <-ctx.Done():
			return
		}
	}
}

func (s *watchSession) watchBucket(ctx context.Context) {
	ticker := time.NewTicker(s.options.timing.check)
	defer ticker.Stop()
	last, subjects := s.watcher.info.State.LastSeq, s.watcher.info.State.NumSubjects
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		subjects = max(subjects, s.watcher.seen.Load()) // those of a prefix are some of all
		asking, cancel := context.WithTimeout(ctx, s.options.timing.request)
		info, err := s.watcher.stream.Info(asking)
		cancel()
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			s.wrong <- asBucket(err)
			return
		case err != nil: // the broker is slow; if it has disconnected, heartbeats are missing
		case !info.Created.Equal(s.watcher.info.Created) || info.State.LastSeq < last:
			s.wrong <- ErrReplaced
			return
		case info.State.NumSubjects < subjects:
			s.wrong <- errPurged
			return
		default:
			last, subjects = info.State.LastSeq, info.State.NumSubjects
		}
	}
}

var errPurged = errors.New("keys were purged; reloading the bucket")

// interrupted returns the error of the connection if state is an interruption, and nil otherwise.
func (s *watchSession) interrupted(state nats.Status, ok bool) error {
	if !ok || state == nats.CLOSED {
		return nats.ErrConnectionClosed
	}
	if state != nats.CONNECTED {
		return notConnected(s.js.Conn())
	}
	return nil
}

// failure returns the error of a Mirror, or nil for an error of files, which the
// Mirror has already reported.
func failure(err error) error {
	var e *promptfs.Error
	if errors.As(err, &e) {
		return nil
	}
	return err
}

func newTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// patience is how many times Options.Files.Debounce changes may continue before they are applied.
const patience = 10

// changes are collected until they are applied.
type changes struct {
	debounce    time.Duration
	files       []promptfs.File
	removed     int         // of all files, applied ones included
	isAnnounced bool        // another Follower has caught up
	isWaiting   bool        // the timers run
	quiet, most *time.Timer // until no change arrives, and until changes continue for too long
}

func (c *changes) wait() {
	c.quiet.Reset(c.debounce)
	if !c.isWaiting {
		c.isWaiting = true
		c.most.Reset(patience * c.debounce)
	}
}

func (c *changes) reset() {
	c.quiet.Stop()
	c.most.Stop()
	c.files, c.isWaiting, c.isAnnounced = nil, false, false
}

// apply brings changes into the registry until the session ends. It returns the reason for the end.
func (s *watchSession) apply(ctx context.Context) error {
	c := &changes{debounce: s.options.Files.Debounce, quiet: newTimer(), most: newTimer()}
	defer c.reset()
	for {
		isDue, end := s.collect(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isDue || end != nil && len(c.files) > 0 {
			if err := s.commit(ctx, c); err != nil {
				return err
			}
			if c.removed > maxRemoved && end == nil {
				end = errForget
			}
		}
		if end != nil {
			return end
		}
	}
}

// collect waits for one event. It reports whether the changes are due, and returns the
// error that ends the session.
func (s *watchSession) collect(ctx context.Context, c *changes) (isDue bool, end error) {
	select {
	case e := <-s.entries:
		s.high = max(s.high, e.file.Revision)
		if e.isOurs && e.file.Revision > s.known[e.file.Path] {
			s.known[e.file.Path] = e.file.Revision
			c.files = append(c.files, e.file)
			if e.file.Removed {
				c.removed++
			}
			c.wait()
		}
	case <-s.changed:
		// This Follower or another one may have removed a prompt, so that its name is
		// available to a file with an error.
		if s.Status().FileErrors != nil {
			c.wait()
		}
	case <-s.news:
		c.isAnnounced = true
		c.wait()
	case <-c.quiet.C:
		return true, nil
	case <-c.most.C:
		return true, nil
	case end = <-s.wrong:
	case state, ok := <-s.states:
		end = s.interrupted(state, ok)
	case <-ctx.Done():
	}
	return false, end
}

func (s *watchSession) commit(ctx context.Context, c *changes) error {
	if err := failure(s.mirror.Apply(ctx, c.files...)); err != nil {
		return err
	}
	if c.isAnnounced {
		s.registry.Notify()
		if skills := s.options.Files.Skills; skills != nil {
			skills.Notify()
		}
	}
	c.reset()
	s.core.Set(ctx, func(st *Status) { st.Revision = s.high })
	return nil
}

// maxRemoved is how many keys may be removed before all is read again, so that
// those need not be remembered for ever.
const maxRemoved = 1 << 16

var errForget = fmt.Errorf("more than %d keys were removed; reloading the bucket", maxRemoved)
