package promptnats

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"time"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/promptfs"
)

// Options configures [Follow] and [Publish]. The zero value fits a bucket with one set of prompts.
type Options struct {
	// Files configures the prompt files, as in package promptfs. Logger also
	// receives the state of the broker. Debounce is the time without changes before
	// an update, for at most ten times as long. PollInterval has no effect. The
	// default of SourcePrefix is "promptnats:", the bucket and the prefix.
	Files promptfs.Options
	// Prefix is a team's part of the bucket: the keys that start with the prefix and
	// ./, such as team-a./review/code.md. It consists of letters, digits, hyphens
	// and underscores, with dots between them. Default: the keys without a prefix.
	Prefix string
	// AllowOfflineStart lets [Follow] return although the broker or the bucket is
	// unreachable. The content is loaded as soon as both are reachable.
	AllowOfflineStart bool
	// Timeout limits how long Follow tries to load the bucket, and how long
	// [Publish] waits for each response. Default: 10 seconds.
	Timeout time.Duration
	// OnStatus is called when Synced or Err of the Status changes, on the goroutine
	// of the Follower. It must not wait for the Follower, which is paused during the
	// call. A panic in OnStatus or Files.OnReload is logged. Default: none.
	OnStatus func(Status)
}

const defaultTimeout = 10 * time.Second

type settings struct {
	Options
	timing timing
}

// timing has times that tests shorten.
type timing struct {
	request    time.Duration // for an answer of the broker
	heartbeat  time.Duration // of the broker, two of which may not be missed
	ping       time.Duration // for the answer to a ping, after which the connection is dead
	check      time.Duration // between checks that the bucket is the same
	patience   time.Duration // for a bucket that seems to be behind, or that is being filled again
	publisher  time.Duration // for the next write of a Publish that is running
	wait, most time.Duration // before the next attempt, first and at most
}

var defaultTiming = timing{
	request: 5 * time.Second, heartbeat: 2 * time.Second, ping: time.Second, check: 5 * time.Second, patience: 3 * time.Second,
	publisher: 30 * time.Second, wait: 100 * time.Millisecond, most: 2 * time.Second,
}

var validPrefix = regexp.MustCompile(`^[-_a-zA-Z0-9]+(\.[-_a-zA-Z0-9]+)*$`)

func (o Options) check(caller string, arguments ...any) error {
	if err := option.Check("promptnats: "+caller, o, arguments...); err != nil {
		return err
	}
	if o.Prefix != "" && !validPrefix.MatchString(o.Prefix) {
		return fmt.Errorf("promptnats: invalid Options.Prefix %q; use letters, digits, - and _, separated by single dots", o.Prefix)
	}
	if at := o.Files.Partials; at != "" && (!fs.ValidPath(at) || at == ".") {
		return fmt.Errorf("promptnats: invalid Options.Files.Partials %q; use the path of a folder such as shared/partials", at)
	}
	return nil
}

func (o Options) filled(p place, t timing) settings {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Files.Partials = cmp.Or(o.Files.Partials, "_partials")
	o.Files.SourcePrefix = cmp.Or(o.Files.SourcePrefix, p.source())
	o.Files.Debounce = cmp.Or(o.Files.Debounce, 100*time.Millisecond)
	o.Files.Logger = cmp.Or(o.Files.Logger, slog.Default()).With(slog.String("bucket", p.bucket))
	if p.prefix != "" {
		o.Files.Logger = o.Files.Logger.With(slog.String("prefix", p.prefix))
	}
	return settings{o, t}
}
