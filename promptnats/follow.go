package promptnats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts/promptfs"
)

// follow loads what is in the bucket, and follows it until something goes
// wrong, which is the error, or ctx ends. It reports whether it has been in
// step.
func (f *Follower) follow(ctx context.Context, states <-chan nats.Status) (wasInStep bool, err error) {
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

// watchSession is the time from a connection to the end of it.
type watchSession struct {
	*Follower
	watcher *watcher
	entries chan entry
	wrong   chan error // what ends the session
	states  <-chan nats.Status
	changed <-chan struct{} // gets a value when the registry has changed
}

// watch returns a watchSession, and what ends its subscription. That begins before
// anything is loaded: a name may be given back at any time after that.
func (f *Follower) watch(watcher *watcher, states <-chan nats.Status) (*watchSession, func()) {
	changed, leave := f.registry.Subscribe()
	return &watchSession{f, watcher, make(chan entry), make(chan error, 2), states, changed}, leave
}

// read passes on what the broker sends. While the registry is changed it waits,
// and so does the broker.
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

// watchBucket looks now and then whether the bucket is the one that it was.
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

// interrupted returns the error of the connection if state is an interruption, and
// nil otherwise.
func (s *watchSession) interrupted(state nats.Status, ok bool) error {
	if !ok || state == nats.CLOSED {
		return nats.ErrConnectionClosed
	}
	if state != nats.CONNECTED {
		return notConnected(s.js.Conn())
	}
	return nil
}

// load makes the registry equal to the bucket.
func (s *watchSession) load(ctx context.Context) error {
	info, isFirst := s.watcher.info, s.created.IsZero()
	isAnother := !isFirst && !info.Created.Equal(s.created)
	isReplaced := isAnother || info.State.LastSeq < s.high
	if isReplaced {
		s.tellReplaced(ctx)
	}
	files := map[string]promptfs.File{}
	received, high := uint64(0), uint64(0)
	rest, stalled := newTimer(), newTimer()
	defer rest.Stop()
	defer stalled.Stop()
	wait, isWaiting, isOver := s.options.timing.patience, false, false
	for {
		isAll := received >= s.watcher.pending
		switch {
		case !isAll:
			stalled.Reset(s.options.timing.request)
		case isAnother && len(files) == 0:
			// An empty bucket is not the end of all prompts.
		case !isOver && (isAnother || !isReplaced && high < s.high):
			// The bucket is being filled again, however long that takes; or one of
			// the brokers is behind the others; or the last keys have been purged.
			// In time it is seen which.
			if !isWaiting {
				isWaiting = true
				rest.Reset(wait)
			}
		default:
			return s.loaded(ctx, files, high, isReplaced)
		}
		select {
		case e := <-s.entries:
			if received++; e.isLast {
				received = max(received, s.watcher.pending)
			}
			high = max(high, e.file.Revision)
			if !e.isOurs {
				continue
			}
			if before, ok := files[e.file.Path]; !ok || before.Revision < e.file.Revision {
				files[e.file.Path] = e.file
			}
			if !isAnother {
				continue
			}
			// The server sends the entries in the order in which they were written.
			isWaiting, isOver = false, e.remaining == 0
			switch {
			case e.remaining > 0:
				wait = s.options.timing.publisher
			case isOver:
				wait = s.options.timing.patience
			}
		case <-rest.C:
			isOver = true
		case <-stalled.C:
			if !isAll {
				return errStalled
			}
		case err := <-s.wrong:
			return err
		case state, ok := <-s.states:
			if err := s.interrupted(state, ok); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errStalled is for messages that the broker has counted and does not have any
// more.
var errStalled = errors.New("incomplete content from the broker; reloading the bucket")

// newTimer returns a timer that does not run.
func newTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// tellReplaced says that the bucket is another.
func (s *watchSession) tellReplaced(ctx context.Context) {
	s.options.Files.Logger.WarnContext(ctx, "bucket was replaced; loading its content",
		slog.Time("created", s.watcher.info.Created), slog.Uint64("last", s.watcher.info.State.LastSeq), slog.Uint64("had", s.high))
	s.set(ctx, func(st *Status) { st.Synced, st.Err = false, ErrReplaced })
}

// loaded brings everything into the registry.
func (s *watchSession) loaded(ctx context.Context, files map[string]promptfs.File, high uint64, isReplaced bool) error {
	all := make([]promptfs.File, 0, len(files))
	known := make(map[string]uint64, len(files))
	for path, f := range files {
		all = append(all, f)
		known[path] = f.Revision
		if s.known[path] > f.Revision && !isReplaced { // which no bucket does by itself
			isReplaced = true
			s.tellReplaced(ctx)
		}
	}
	s.hasChanged = false
	if err := failure(s.mirror.Reset(ctx, all...)); err != nil {
		return err
	}
	if s.hasChanged {
		s.announce()
	}
	s.created, s.high, s.known = s.watcher.info.Created, high, known
	s.set(ctx, func(st *Status) { st.Synced, st.Err, st.Revision = true, nil, high })
	s.report(ctx, nil)
	return nil
}

// announce notifies the other Followers that this one has served old prompts until
// now: their clients may have read them here. A server that starts does not
// announce, because it has served no prompts.
func (s *watchSession) announce() {
	select {
	case <-s.begun:
		_ = s.tell(s.place.news(), []byte(s.id)) // at worst nobody hears of it
	default:
	}
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

// patience is how many times Options.Files.Debounce changes may continue before
// they are applied.
const patience = 10

// apply brings into the registry what changes.
func (s *watchSession) apply(ctx context.Context) error {
	quiet, most := newTimer(), newTimer()
	defer quiet.Stop()
	defer most.Stop()
	var batch []promptfs.File
	isWaiting, isTold, removed := false, false, 0
	later := func() {
		quiet.Reset(s.options.Files.Debounce)
		if !isWaiting {
			isWaiting = true
			most.Reset(patience * s.options.Files.Debounce)
		}
	}
	for {
		isOver, end := false, error(nil)
		select {
		case e := <-s.entries:
			if e.isOurs && e.file.Revision > s.known[e.file.Path] {
				s.known[e.file.Path] = e.file.Revision
				batch = append(batch, e.file)
				later()
				if e.file.Removed {
					removed++
				}
			}
			s.high = max(s.high, e.file.Revision)
		case <-s.changed:
			// By this Follower or by others, who may have given back a name.
			if s.Status().FileErrors != nil {
				later()
			}
		case <-s.news:
			isTold = true
			later()
		case <-quiet.C:
			isOver = true
		case <-most.C:
			isOver = true
		case end = <-s.wrong:
		case state, ok := <-s.states:
			end = s.interrupted(state, ok)
		case <-ctx.Done():
			return ctx.Err()
		}
		if !isOver && (end == nil || len(batch) == 0) {
			if end != nil {
				return end
			}
			continue
		}
		if err := failure(s.mirror.Apply(ctx, batch...)); err != nil {
			return err
		}
		if isTold {
			s.registry.Notify()
			if skills := s.options.Files.Skills; skills != nil {
				skills.Notify()
			}
		}
		quiet.Stop()
		most.Stop()
		batch, isWaiting, isTold = nil, false, false
		s.set(ctx, func(st *Status) { st.Revision = s.high })
		if end != nil {
			return end
		}
		if removed > maxRemoved {
			return errForget
		}
	}
}

// maxRemoved is how many keys may be removed before all is read again, so that
// those need not be remembered for ever.
const maxRemoved = 1 << 16

var errForget = fmt.Errorf("more than %d keys were removed; reloading the bucket", maxRemoved)
