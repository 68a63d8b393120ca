package promptnats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/follower"
	"github.com/mcp-prompts/prompts/promptfs"
)

// ErrReplaced reports that a bucket was replaced: restored from a backup, or removed
// and created again. Every Follower accepts the new content.
var ErrReplaced = errors.New("bucket was replaced")

var errNotConnected = errors.New("not connected to NATS")

// Follower keeps a registry in sync with a bucket: see [Follow].
type Follower struct {
	registry *prompts.Registry
	js       jetstream.JetStream
	place    place
	options  settings
	mirror   *promptfs.Mirror

	core  follower.Follower[Status]
	first chan error    // receives the result of each attempt while Follow waits
	begun chan struct{} // closed when Follow returns
	id    string        // of this Follower, among those of the bucket
	tell  func(subject string, message []byte) error
	news  chan struct{} // gets a value when another Follower has caught up

	// Only the goroutine uses the fields below.
	created time.Time         // of the bucket
	high    uint64            // the highest revision that the registry has
	known   map[string]uint64 // the revisions of the files, by path
	// hasChanged says that the registry has changed.
	hasChanged bool
}

// Status is the status of a [Follower].
type Status struct {
	// Synced reports whether the registry is in sync with the bucket, apart from the
	// changes of the last moments.
	Synced bool
	// Revision is the revision of the last applied change.
	Revision uint64
	// Err is the reason for a lag. It is nil if Synced is true.
	Err error
	// FileErrors joins the errors of files, each a [*promptfs.Error]. It is nil without errors. For
	// a key that is not a valid path, Path is ./ and the key without the prefix.
	FileErrors error
}

// Follow keeps the prompts of a registry in sync with the files in a bucket, until ctx ends or
// [Follower.Close] is called. It returns after loading the bucket in one update. It returns an
// error, and stops, if the bucket does not exist, or if loading takes longer than Options.Timeout.
// With Options.AllowOfflineStart, Follow returns after the first failed attempt, and returns an
// error only for invalid Options.
//
// Invalid files are not an error of Follow: Options.Files.Logger and OnReload get
// the errors, and [Follower.Status] contains them.
//
// A Follower has one goroutine, which ends before Close returns. The caller owns the
// connection, which should never give up: see the package documentation.
//
// Do not call Follow or Close inside an Update of the registry, nor Close from
// OnStatus and OnReload.
func Follow(ctx context.Context, reg *prompts.Registry, js jetstream.JetStream, bucket string, o Options) (*Follower, error) {
	return follow(ctx, reg, js, bucket, o, defaultTiming)
}

func follow(ctx context.Context, reg *prompts.Registry, js jetstream.JetStream, bucket string, given Options, t timing) (*Follower, error) {
	p := place{bucket, given.Prefix}
	if err := given.check("Follow", "registry", reg, "JetStream", js); err != nil {
		return nil, err
	}
	o := given.filled(p, t)
	f := newFollower(reg, p, o)
	f.js, f.id, f.tell = js, rand.Text(), js.Conn().Publish
	f.core.Update(func(s *Status) { s.Err = errNotConnected })
	f.core.Start(ctx, f.run)
	defer close(f.begun)
	timer := time.NewTimer(o.Timeout)
	defer timer.Stop()
	var last error
	for {
		select {
		case last = <-f.first:
			switch {
			case last == nil, o.AllowOfflineStart:
				return f, nil
			case isFinal(last):
				f.Close()
				return nil, fmt.Errorf("promptnats: %w", last)
			}
		case <-timer.C:
			if o.AllowOfflineStart {
				return f, nil
			}
			f.Close()
			if last == nil {
				last = explained(js, context.DeadlineExceeded)
			}
			return nil, fmt.Errorf("promptnats: timed out after %v loading the bucket: %w", o.Timeout, last)
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}

func newFollower(reg *prompts.Registry, p place, o settings) *Follower {
	f := &Follower{registry: reg, place: p, options: o, first: make(chan error), begun: make(chan struct{}), news: make(chan struct{}, 1), known: map[string]uint64{}}
	files := o.Files
	files.OnReload = f.reloaded
	f.mirror = promptfs.NewMirror(reg, files)
	logger := f.mirror.Logger()
	f.options.Files.Logger = logger
	f.core.Logger, f.core.OnStatus = logger, o.OnStatus
	f.core.Key = func(s Status) any { return [2]any{s.Synced, follower.Text(s.Err)} }
	f.core.Log = func(ctx context.Context, s Status) {
		if s.Synced {
			logger.InfoContext(ctx, "prompts in sync with bucket", slog.Uint64("revision", s.Revision))
		} else {
			logger.WarnContext(ctx, "prompts not in sync with bucket", slog.Any("error", s.Err))
		}
	}
	return f
}

// isFinal reports whether another attempt would fail too.
func isFinal(err error) bool {
	for _, final := range []error{jetstream.ErrBucketNotFound, jetstream.ErrBadBucket, jetstream.ErrInvalidStreamName, nats.ErrConnectionClosed} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// Close ends the Follower and waits for its end. The prompts stay in the registry.
// It may be called more than once.
func (f *Follower) Close() { f.made().Close() }

// Status returns the current status.
func (f *Follower) Status() Status { return f.made().Status() }

func (f *Follower) made() *follower.Follower[Status] {
	if f == nil || f.mirror == nil {
		panic("promptnats: Follower is not made by Follow")
	}
	return &f.core
}

// reloaded stores the errors of files in the status, before the application's function gets them.
func (f *Follower) reloaded(r promptfs.Report) {
	f.hasChanged = f.hasChanged || len(r.Added)+len(r.Changed)+len(r.Removed)+len(r.SkillsAdded)+len(r.SkillsChanged)+len(r.SkillsRemoved) > 0
	if failure(r.Err) == nil { // else it is the Err of the status
		f.core.Update(func(s *Status) { s.FileErrors = r.Err })
	}
	if f.options.Files.OnReload != nil {
		f.core.Guard(context.Background(), "OnReload", func() { f.options.Files.OnReload(r) })
	}
}

func (f *Follower) run(ctx context.Context) {
	nc := f.js.Conn()
	states := nc.StatusChanged()
	defer nc.RemoveStatusListener(states)
	// Nothing is subscribed to if the connection is closed, which follow reports.
	if subscription, err := nc.Subscribe(f.place.news(), f.receiveNews); err == nil {
		defer func() { _ = subscription.Unsubscribe() }()
	}
	retry := newBackoff(f.options.timing)
	for {
		wasSynced, err := f.follow(ctx, states)
		if ctx.Err() != nil {
			return
		}
		f.core.Set(ctx, func(s *Status) { s.Synced, s.Err = false, err })
		f.report(ctx, err)
		f.reconnectIfSilent(ctx, err)
		if wasSynced {
			retry.Reset()
		}
		if f.pause(ctx, states, retry.Next()) {
			retry.Reset()
		}
	}
}

func newBackoff(t timing) *follower.Backoff {
	return &follower.Backoff{First: t.wait, Most: t.most, Jitter: 0.5}
}

func (f *Follower) receiveNews(m *nats.Msg) {
	if string(m.Data) == f.id {
		return
	}
	select {
	case f.news <- struct{}{}:
	default: // there is one
	}
}

// reconnectIfSilent reconnects if the broker did not answer an attempt and does not
// answer a ping. The connection does not notice for minutes that a broker is suspended
// or that packets are lost: by default, nats.PingInterval is 2 minutes, and TCP waits
// longer from one retransmission to the next.
func (f *Follower) reconnectIfSilent(ctx context.Context, err error) {
	nc := f.js.Conn()
	isSilence := errors.Is(err, jetstream.ErrNoHeartbeat) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, errStalled)
	if !isSilence || nc.Status() != nats.CONNECTED {
		return
	}
	before := nc.Stats().InBytes
	asking, cancel := context.WithTimeout(ctx, f.options.timing.ping)
	defer cancel()
	if nc.FlushWithContext(asking) == nil || ctx.Err() != nil || nc.Stats().InBytes != before {
		return // the broker answers, or is slow
	}
	if nc.ForceReconnect() == nil { // else it is closed, which the next attempt reports
		f.options.Files.Logger.WarnContext(ctx, "broker does not answer; reconnecting")
	}
}

func (f *Follower) report(ctx context.Context, err error) {
	select {
	case f.first <- err:
	case <-f.begun:
	case <-ctx.Done():
	}
}

// pause waits for a while, or until there is a connection again, and reports whether there is.
func (f *Follower) pause(ctx context.Context, states <-chan nats.Status, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return false
		case state, ok := <-states:
			if !ok {
				states = nil
			} else if state == nats.CONNECTED {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}
