package promptfs

import (
	"cmp"
	"io/fs"
	"log/slog"
	"text/template"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/logwait"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Options configures how files are read and watched. The zero value of each field is its default.
type Options struct {
	// Funcs are additional functions for templates. They must be safe for concurrent use. Loading a
	// file calls the functions with generated arguments. Default: none.
	Funcs template.FuncMap
	// Partials is the path of the folder with partials. Default: "_partials".
	Partials string
	// ResourceBase is the start of the URI of an embedded resource. The resource's
	// path from the root follows, percent-encoded. Default: "promptfs:///".
	ResourceBase string
	// NamePrefix is the start of the name of each prompt, such as "team/", and the first folder
	// of the path of each skill. With prefixes, several folders with the same names can fill
	// one registry. Default: none.
	NamePrefix string
	// Ignore has patterns of files and folders that are not read, in the form of [path.Match]. A
	// pattern is compared with the name, and with the path from the root. To match a path only,
	// begin the pattern with a slash. Files that a message includes are read. Default: none.
	Ignore []string
	// ReadIgnore, if not nil, returns more patterns for Ignore. Each load calls ReadIgnore
	// with the files, before it reads others. If ReadIgnore returns an error, the error is
	// one of the load, and the patterns of the load before stay. Default: none.
	ReadIgnore func(fsys fs.FS) ([]string, error)
	// SourcePrefix is the start of the Source of each prompt. The path of the file
	// follows. A folder recognizes its prompts by the Source, so if several folders
	// fill one registry, each needs its own prefix. Default: "promptfs:".
	SourcePrefix string
	// MaxFileBytes is the maximum size of a prompt or partial. Default: 1 MiB.
	MaxFileBytes int
	// MaxResourceBytes is the maximum size of an image, audio or resource. Default: 4 MiB.
	MaxResourceBytes int
	// Skills, if not nil, receives the skills: each folder with a SKILL.md, with all
	// files in it and below it whose names do not begin with a dot. Default: none.
	Skills *promptskills.Registry
	// DisableSkillPrompts says that a SKILL.md is not a prompt.
	DisableSkillPrompts bool
	// Logger receives errors when they appear and when they are fixed, and the changes of each
	// reload. It receives at most 100 errors of a reload and the number of the others. Default:
	// slog.Default(). To log nothing, use slog.New(slog.DiscardHandler).
	Logger *slog.Logger
	// OnReload is called at the end of each reload that has changed a prompt or an
	// error. It must not call Reload. Default: none.
	OnReload func(Report)
	// Debounce is the time without changes before [Folder.Watch] reads files, so that it reads no
	// half-written file. Watch waits for at most ten times as long. Default: 100 ms.
	Debounce time.Duration
	// PollInterval is the interval at which [Folder.Watch] scans all files, in addition to
	// notifications of the operating system. Set PollInterval for network file systems, which may
	// send no notifications. Default: not at all, or every 2 s while folders cannot be watched.
	PollInterval time.Duration
}

const (
	defaultMaxFileBytes     = 1 << 20
	defaultMaxResourceBytes = 4 << 20
	defaultDebounce         = 100 * time.Millisecond
)

// Report describes the changes of a reload.
type Report struct {
	// Added, Changed and Removed are the names of prompts, in order.
	Added, Changed, Removed []string
	// SkillsAdded, SkillsChanged and SkillsRemoved are the paths of skills, in order.
	SkillsAdded, SkillsChanged, SkillsRemoved []string
	// Release is the release that is served: the content digest of a folder, the revision
	// of a store, or the release of [Mirror.Replace]. It has no ID while a file is invalid.
	Release prompts.Release
	// Err joins all current errors, each an [*Error]. It is nil if there are none.
	Err error
}

// filled returns the options with their defaults. caller is the function that got them, and
// arguments are its other ones, as in [option.Check].
func (o Options) filled(caller string, arguments ...any) (Options, error) {
	if err := option.Check("promptfs: "+caller, o, arguments...); err != nil {
		return o, err
	}
	o.Partials = cmp.Or(o.Partials, "_partials")
	o.ResourceBase = cmp.Or(o.ResourceBase, "promptfs:///")
	o.SourcePrefix = cmp.Or(o.SourcePrefix, "promptfs:")
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, defaultMaxFileBytes)
	o.MaxResourceBytes = cmp.Or(o.MaxResourceBytes, defaultMaxResourceBytes)
	o.Debounce = cmp.Or(o.Debounce, defaultDebounce)
	o.Logger = slog.New(logwait.New(cmp.Or(o.Logger, slog.Default()).Handler())) // a handler that blocks must not stop the reloads
	return o, nil
}

func (o *Options) sourceOf(path string) string { return o.SourcePrefix + path }
