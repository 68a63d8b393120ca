package promptfs

import (
	"cmp"
	"log/slog"
	"text/template"
	"time"
)

// Options say how files are read and watched. The zero value is right.
type Options struct {
	// Funcs are more functions for the templates, in addition to those of package
	// prompttemplate. They must be safe for concurrent use. Loading a file calls
	// the functions too, with made-up arguments.
	Funcs template.FuncMap
	// Partials is the path of the folder with the partials. Default:
	// "_partials".
	Partials string
	// ResourceBase is what the URI of an embedded resource begins with; the
	// resource's path, from the root and percent-encoded, follows. Default:
	// "promptfs:///".
	ResourceBase string
	// SourcePrefix is what the Source of each prompt begins with; the path of its
	// file follows. Where several folders fill one registry, each needs one of its
	// own: it is how a folder knows its prompts. Default: "promptfs:".
	SourcePrefix string
	// MaxFileBytes is the size of the largest prompt or partial that is read.
	// Default: 1 MiB.
	MaxFileBytes int64
	// MaxResourceBytes is the size of the largest image, recording or resource
	// that is read. Default: 4 MiB.
	MaxResourceBytes int64
	// Logger gets faults, when they come and when they go, and what each reload
	// has changed; of very many faults 100, and how many more there are. Default:
	// slog.Default(). To log nothing, use slog.New(slog.DiscardHandler).
	Logger *slog.Logger
	// OnReload is called at the end of each reload that has changed a prompt or
	// a fault. It must not reload itself. Default: nothing is called.
	OnReload func(Report)
	// Debounce is how long files must be left alone before [Folder.Watch] reads
	// them, so that it reads none while it is written; it waits for ten times as
	// long at most. Default: 100 ms.
	Debounce time.Duration
	// Poll makes [Folder.Watch] look at all files again after this time,
	// whether it was told of changes or not: a network file system may tell of
	// none. Default: not at all, or every 2 s while folders cannot be watched.
	PollInterval time.Duration
}

const (
	defaultMaxFileBytes     = 1 << 20
	defaultMaxResourceBytes = 4 << 20
	defaultDebounce         = 100 * time.Millisecond
)

// Report says what a reload has changed.
type Report struct {
	// Added, Changed and Removed are the names of the prompts, in order.
	Added, Changed, Removed []string
	// Err joins the faults that there are now, each an [*Error]; nil if there
	// are none.
	Err error
}

// filled returns the options with their defaults.
func (o Options) filled() Options {
	o.Partials = cmp.Or(o.Partials, "_partials")
	o.ResourceBase = cmp.Or(o.ResourceBase, "promptfs:///")
	o.SourcePrefix = cmp.Or(o.SourcePrefix, "promptfs:")
	o.MaxFileBytes = positive(o.MaxFileBytes, defaultMaxFileBytes)
	o.MaxResourceBytes = positive(o.MaxResourceBytes, defaultMaxResourceBytes)
	o.Debounce = positive(o.Debounce, defaultDebounce)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// positive returns n, or otherwise if n is not more than 0.
func positive[T ~int64](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}
