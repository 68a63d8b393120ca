package promptnats

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcp-prompts/prompts/promptfs"
)

type loading struct {
	isAnother      bool                     // the bucket was created again
	isReplaced     bool                     // the bucket was created again, or its revisions are lower
	files          map[string]promptfs.File // by path
	received, high uint64

	stalled *time.Timer   // runs while messages are missing
	rest    *time.Timer   // runs while more content may be written
	wait    time.Duration // of rest
	// isWaiting says that rest runs, and isOver that it has ended, or that a Publish is complete.
	isWaiting, isOver bool
}

func (s *watchSession) load(ctx context.Context) error {
	info, isFirst := s.watcher.info, s.created.IsZero()
	l := &loading{
		isAnother: !isFirst && !info.Created.Equal(s.created), files: map[string]promptfs.File{},
		stalled: newTimer(), rest: newTimer(), wait: s.options.timing.patience,
	}
	defer l.stalled.Stop()
	defer l.rest.Stop()
	l.isReplaced = l.isAnother || info.State.LastSeq < s.high
	if l.isReplaced {
		s.logReplaced(ctx)
	}
	for !s.isLoaded(l) {
		if err := s.receive(ctx, l); err != nil {
			return err
		}
	}
	return s.loaded(ctx, l.files, l.high, l.isReplaced)
}

// isLoaded reports whether the content is complete. If not, it starts the timer of what
// is waited for.
func (s *watchSession) isLoaded(l *loading) bool {
	switch {
	case l.received < s.watcher.pending:
		l.stalled.Reset(s.options.timing.request)
		return false
	case l.isAnother && len(l.files) == 0:
		return false // an empty bucket is not the end of all prompts
	case l.isOver || !l.isAnother && (l.isReplaced || l.high >= s.high):
		return true
	}
	// The bucket is being filled again, however long that takes; or one of the brokers
	// is behind the others; or the last keys have been purged. In time it is seen which.
	if !l.isWaiting {
		l.isWaiting = true
		l.rest.Reset(l.wait)
	}
	return false
}

// receive waits for one event, or returns the error that ends the session.
func (s *watchSession) receive(ctx context.Context, l *loading) error {
	select {
	case e := <-s.entries:
		s.take(l, e)
	case <-l.rest.C:
		l.isOver = true
	case <-l.stalled.C:
		if l.received < s.watcher.pending {
			return errStalled
		}
	case err := <-s.wrong:
		return err
	case state, ok := <-s.states:
		return s.interrupted(state, ok)
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (s *watchSession) take(l *loading, e entry) {
	if l.received++; e.isLast {
		l.received = max(l.received, s.watcher.pending)
	}
	l.high = max(l.high, e.file.Revision)
	if !e.isOurs {
		return
	}
	if before, ok := l.files[e.file.Path]; !ok || before.Revision < e.file.Revision {
		l.files[e.file.Path] = e.file
	}
	if !l.isAnother {
		return
	}
	// The server sends the entries in the order in which they were written.
	l.isWaiting, l.isOver = false, e.remaining == 0
	switch {
	case e.remaining > 0:
		l.wait = s.options.timing.publisher
	case l.isOver:
		l.wait = s.options.timing.patience
	}
}

// errStalled is for messages that the broker has counted and does not have any more.
var errStalled = errors.New("incomplete content from the broker; reloading the bucket")

func (s *watchSession) logReplaced(ctx context.Context) {
	s.options.Files.Logger.WarnContext(ctx, "bucket was replaced; loading its content",
		slog.Time("created", s.watcher.info.Created), slog.Uint64("last", s.watcher.info.State.LastSeq), slog.Uint64("had", s.high))
	s.core.Set(ctx, func(st *Status) { st.Synced, st.Err = false, ErrReplaced })
}

func (s *watchSession) loaded(ctx context.Context, files map[string]promptfs.File, high uint64, isReplaced bool) error {
	all := make([]promptfs.File, 0, len(files))
	known := make(map[string]uint64, len(files))
	for path, f := range files {
		all = append(all, f)
		known[path] = f.Revision
		if s.known[path] > f.Revision && !isReplaced { // which no bucket does by itself
			isReplaced = true
			s.logReplaced(ctx)
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
	s.core.Set(ctx, func(st *Status) { st.Synced, st.Err, st.Revision = true, nil, high })
	s.report(ctx, nil)
	return nil
}

// announce notifies the other Followers that this one has served old prompts until
// now: their clients may have read them here. A server that starts does not
// announce, because it has served no prompts.
func (s *watchSession) announce() {
	select {
	case <-s.begun:
		_ = s.tell(s.place.news(), []byte(s.id)) // if it is lost, clients elsewhere keep the old list for longer
	default:
	}
}
