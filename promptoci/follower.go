package promptoci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/follower"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/promptfs"
)

// Options configures [Follow]. The zero value of each field is its default.
type Options struct {
	// Files configures the prompt files, as in package promptfs. Its Logger also receives
	// the status of the Follower. Default of SourcePrefix: "promptoci:".
	Files promptfs.Options
	// Interval is the longest time between two looks at the label, of one request each. Each
	// pause is up to 10 % shorter, so that replicas do not ask at the same time. After errors,
	// Interval doubles up to 5 minutes, or is the Retry-After of the registry. Default: 30 seconds.
	Interval time.Duration
	// Timeout limits how long a look at the label and the download of a release take.
	// Default: 60 seconds.
	Timeout time.Duration
	// Cache is a folder for the last release, for a start without the registry. The Follower
	// creates the folder, or marks one that has no releases, and removes only releases of its
	// own. While another Follower uses the folder, also one of another process, the release is
	// not cached, and the log says why. To start from the store alone, close a Follower whose
	// Status has FromCache. Default: none.
	Cache string
	// Limits limits the size of a release.
	Limits Limits
	// Verify, if not nil, checks a release before it is downloaded, for example its
	// signature. An error rejects the release. d is the descriptor of the manifest.
	Verify func(ctx context.Context, s Store, d ocispec.Descriptor) error
	// OnStatus is called when the status changes, on the goroutine of the Follower, and
	// must not call Close. A panic in OnStatus or Files.OnReload is logged. Default: none.
	OnStatus func(Status)
}

const (
	defaultInterval = 30 * time.Second
	defaultTimeout  = 60 * time.Second
	// maxBackoff is the longest pause after errors.
	maxBackoff = 5 * time.Minute
	// refusedFor is how long a rejected release is not tried again.
	refusedFor = 10 * time.Minute
)

// Status is the status of a [Follower].
type Status struct {
	// Synced reports whether the release of the label was served when the store was last asked.
	Synced bool
	// FromCache reports that the served release comes from Options.Cache.
	FromCache bool
	Label     string
	// Release and Content are the digests of the served release.
	Release, Content digest.Digest
	// Refused is the release of the label if it is rejected. Err is the reason.
	Refused digest.Digest
	// Since is the time since which the release is served.
	Since time.Time
	// Err is the reason why Synced is false. It is nil if Synced is true.
	Err error
}

// Follower keeps a registry at the release of a label: see [Follow].
type Follower struct {
	store    Store
	label    string
	isPinned bool
	options  Options
	mirror   *promptfs.Mirror
	cache    cache // used by Follow and then by the goroutine

	core follower.Follower[Status]

	// Only the goroutine uses the fields below, and Follow before it starts.
	failures  int
	backoff   follower.Backoff
	refusedAt time.Time
}

// Follow keeps the prompts of a registry at the release of a label, until ctx ends or
// [Follower.Close] is called. Follow returns when a release is served, of the store or, if the
// store does not answer, of Options.Cache. If neither can be served, Follow returns an error. A
// digest in place of the label is a fixed release, read once.
//
// A release is served whole or not at all. Whatever happens to the store, the label or a
// new release, the Follower continues to serve the last valid release, and [Follower.Status]
// and the log say why. A missing label is an error, and never the end of the prompts.
//
// A Follower has one goroutine, which ends before Close returns. Do not call Close inside
// an Update of the registry.
func Follow(ctx context.Context, reg *prompts.Registry, s Store, label string, o Options) (*Follower, error) {
	if err := option.Check("promptoci: Follow", o, "registry", reg, "store", s); err != nil {
		return nil, err
	}
	d := digest.Digest(label)
	isPinned := d.Validate() == nil
	if !isPinned {
		if err := CheckLabel(label); err != nil {
			return nil, err
		}
	}
	o.Interval = cmp.Or(o.Interval, defaultInterval)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Limits = o.Limits.filled()
	o.Files.SourcePrefix = cmp.Or(o.Files.SourcePrefix, "promptoci:")
	f := &Follower{store: s, label: label, isPinned: isPinned, cache: cache{dir: o.Cache}}
	if onReload := o.Files.OnReload; onReload != nil {
		o.Files.OnReload = func(r promptfs.Report) { f.core.Guard(context.Background(), "OnReload", func() { onReload(r) }) }
	}
	f.mirror = promptfs.NewMirror(reg, o.Files) // whose records have the label of the release
	o.Files.Logger = f.mirror.Logger().With(slog.String("label", label))
	f.options, f.backoff = o, follower.Backoff{First: o.Interval, Most: max(maxBackoff, o.Interval), Jitter: 0.1}
	f.core.Logger, f.core.Key, f.core.Log, f.core.OnStatus = o.Files.Logger, keyOf, f.log, o.OnStatus
	f.core.Update(func(s *Status) { s.Label = label })
	err := f.look(ctx)
	if err != nil && ctx.Err() == nil && o.Cache != "" {
		if cached := f.fromCache(ctx); cached != nil {
			o.Files.Logger.WarnContext(ctx, "cached release not served", slog.Any("error", cached))
		} else {
			err = nil
		}
	}
	if err != nil {
		f.cache.close()
		return nil, fmt.Errorf("promptoci: follow %s: %w", label, err)
	}
	f.core.Start(ctx, f.run)
	return f, nil
}

// Close ends the Follower and waits for its end. The prompts stay in the registry. Close
// may be called more than once.
func (f *Follower) Close() { f.made().Close() }

// Status returns the current status.
func (f *Follower) Status() Status { return f.made().Status() }

func (f *Follower) made() *follower.Follower[Status] {
	if f == nil || f.mirror == nil {
		panic("promptoci: Follower is not made by Follow")
	}
	return &f.core
}

func keyOf(s Status) any {
	return [5]any{s.Synced, s.FromCache, s.Release, s.Refused, follower.Text(s.Err)}
}

func (f *Follower) log(ctx context.Context, s Status) {
	logger, release := f.options.Files.Logger, slog.String("release", s.Release.String())
	switch {
	case s.Synced:
		logger.InfoContext(ctx, "release served", release)
	case s.Refused != "":
		logger.ErrorContext(ctx, "release rejected", slog.String("rejected", s.Refused.String()), release, slog.Any("error", s.Err))
	default:
		logger.WarnContext(ctx, "release not in sync with store", release, slog.Bool("cached", s.FromCache), slog.Any("error", s.Err))
	}
}

func (f *Follower) run(ctx context.Context) {
	defer f.cache.close()
	for {
		if f.isPinned && f.Status().Synced {
			<-ctx.Done()
			return
		}
		select {
		case <-time.After(f.pause()):
			_ = f.look(ctx) // which the status has
		case <-ctx.Done():
			return
		}
	}
}

func (f *Follower) pause() time.Duration {
	if f.failures <= 1 {
		f.backoff.Reset()
	}
	d := f.backoff.Next()
	if s, ok := f.store.(interface{ retryAfter() time.Duration }); ok && f.failures > 0 {
		d = max(d, s.retryAfter())
	}
	return d
}

func (f *Follower) look(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, f.options.Timeout)
	defer cancel()
	d, err := f.store.Resolve(limited, f.label)
	if err == nil {
		err = f.serve(limited, d)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		f.failures++
		if errors.Is(err, errRejected) {
			f.failures = 0 // the store answers
		}
		f.core.Set(ctx, func(s *Status) {
			s.Synced, s.Err, s.Refused = false, err, ""
			if errors.Is(err, errRejected) {
				s.Refused = d.Digest
			}
		})
		return err
	}
	f.failures = 0
	return nil
}

var errRejected = errors.New("release rejected")

func (f *Follower) serve(ctx context.Context, d ocispec.Descriptor) error {
	now := f.Status()
	if now.Release == d.Digest {
		f.core.Set(ctx, func(s *Status) { s.Synced, s.FromCache, s.Err, s.Refused = true, false, nil, "" })
		return nil
	}
	if now.Refused == d.Digest && time.Since(f.refusedAt) < refusedFor {
		return now.Err
	}
	if f.options.Verify != nil {
		if err := f.options.Verify(ctx, f.store, d); err != nil {
			return f.rejected(err)
		}
	}
	r, err := pull(ctx, f.store, d, f.options.Limits)
	switch {
	case errors.Is(err, ErrInvalid) && !errors.Is(err, errDamaged):
		return f.rejected(err)
	case err != nil:
		return err
	}
	if err := f.replace(ctx, r); err != nil {
		return err
	}
	f.core.Set(ctx, func(s *Status) {
		*s = Status{Synced: true, Label: f.label, Release: r.Digest, Content: r.Content, Since: time.Now()}
	})
	if f.options.Cache != "" {
		if err := f.cache.save(ctx, f.label, r); err != nil {
			f.options.Files.Logger.WarnContext(ctx, "release not cached", slog.Any("error", err))
		}
	}
	return nil
}

func (f *Follower) rejected(err error) error {
	f.refusedAt = time.Now()
	return fmt.Errorf("%w: %w", errRejected, err)
}

func (f *Follower) replace(ctx context.Context, r *Release) error {
	files := make([]promptfs.File, 0, len(r.Files))
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		files = append(files, promptfs.File{Path: path, Content: r.Files[path]})
	}
	label := f.label
	if f.isPinned {
		label = ""
	}
	err := f.mirror.Replace(ctx, prompts.Release{ID: r.Digest.String(), Label: label}, files...)
	if err != nil && ctx.Err() == nil {
		return f.rejected(err)
	}
	return err
}
