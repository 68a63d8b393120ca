package promptnats

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"time"

	"github.com/mcp-prompts/prompts/promptfs"
)

// Options say which part of a bucket is followed, and how. The zero value is
// right for a bucket that has one set of prompts.
type Options struct {
	// Files are those of package promptfs, for the files in the bucket. Logger
	// gets what becomes of the broker too. Debounce is for how long changes are
	// gathered: one update of the registry is made of all that come within it of
	// one another, after ten times as long at most. Poll does not matter. SourcePrefix is
	// "promptnats:", the bucket, and the prefix, unless it is set.
	Files promptfs.Options
	// Prefix is a team's part of the bucket: the keys that begin with it, and
	// ./, as in team-a./review/code.md. It is of letters, digits, hyphens and
	// underscores, and may have dots between. Default: the keys without a prefix.
	Prefix string
	// AllowOfflineStart lets [Follow] return although the broker or the bucket is not
	// to be reached. What is in the bucket comes in when they are.
	AllowOfflineStart bool
	// Timeout is how long Follow tries to load what is in the bucket, and how
	// long [Publish] waits for each answer. Default: 10 seconds.
	Timeout time.Duration
	// OnStatus is called when the Status has another InStep or Err, on the
	// goroutine of the Follower, which it must not wait for. Nothing is followed
	// while it runs. If it panics, and so for Files.OnReload, that is logged, and
	// nothing else. Default: nothing is called.
	OnStatus func(Status)

	timing timing
}

const defaultTimeout = 10 * time.Second

// timing is how long things take.
type timing struct {
	request    time.Duration // for an answer of the broker
	heartbeat  time.Duration // of the broker, two of which may not be missed
	check      time.Duration // between looks at what bucket it is
	patience   time.Duration // for a bucket that seems to be behind, or that is being filled again
	publisher  time.Duration // for the next write of a Publish that is running
	wait, most time.Duration // before the next attempt, first and at most
}

var validPrefix = regexp.MustCompile(`^[-_a-zA-Z0-9]+(\.[-_a-zA-Z0-9]+)*$`)

// check returns what is wrong with the options.
func (o Options) check() error {
	if o.Prefix != "" && !validPrefix.MatchString(o.Prefix) {
		return fmt.Errorf("promptnats: Options.Prefix is %q; it must be of letters, digits, - and _, with single dots between", o.Prefix)
	}
	if at := o.Files.Partials; at != "" && (!fs.ValidPath(at) || at == ".") {
		return fmt.Errorf("promptnats: Options.Files.Partials is %q; it must be the path of a folder, from the root and without a slash at its end", at)
	}
	return nil
}

// filled returns the options with their defaults.
func (o Options) filled(p place) Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	o.Files.Partials = cmp.Or(o.Files.Partials, "_partials")
	o.Files.SourcePrefix = cmp.Or(o.Files.SourcePrefix, p.source())
	if o.Files.Debounce <= 0 {
		o.Files.Debounce = 100 * time.Millisecond
	}
	if o.Files.Logger == nil {
		o.Files.Logger = slog.Default()
	}
	o.Files.Logger = o.Files.Logger.With(slog.String("bucket", p.bucket))
	if p.prefix != "" {
		o.Files.Logger = o.Files.Logger.With(slog.String("prefix", p.prefix))
	}
	if o.timing == (timing{}) {
		o.timing = timing{
			request: 5 * time.Second, heartbeat: 2 * time.Second, check: 5 * time.Second, patience: 3 * time.Second,
			publisher: 30 * time.Second, wait: 100 * time.Millisecond, most: 2 * time.Second,
		}
	}
	return o
}
