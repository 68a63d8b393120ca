package promptfs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/regular"
)

// Folder keeps the prompts of a registry in sync with a folder: see [Folder.Reload]
// and [Folder.Watch]. Safe for concurrent use.
//
// A Folder changes only its own prompts, and recognizes them by their Source: "promptfs:", or
// Options.SourcePrefix, and the path of the file. If a file's name is used by another prompt, the
// file is invalid. The first reload after the name becomes available adds the prompt. If other code
// replaces a prompt of the Folder by a prompt with another Source, such as "", the replacement wins,
// and the file is invalid. A replacement with the same Source is the prompt of the file: the next
// change of the file replaces it, and the removal of the file removes it. If other code removes a
// prompt, the next reload adds the prompt again.
type Folder struct {
	registry *prompts.Registry
	options  Options
	dir      string // of the operating system; empty for fsys
	fsys     fs.FS
	notify   func() (*fsnotify.Watcher, error) // fsnotify.NewWatcher, but in tests

	turn chan struct{} // holds a value while no reload runs; a reload takes it and uses the fields below
	// store has the files of a Mirror. It is nil for a folder.
	store  *contents
	table  *table
	skills *skillTable
	// reported has the errors of the last reload, by their text.
	reported map[string]error
}

// NewFolder returns a Folder for fsys. Several goroutines read fsys at the same time. If a method
// of fsys blocks, a reload ends with its context. NewFolder reads no files. It panics if reg or
// fsys is nil, or if an option is negative.
func NewFolder(reg *prompts.Registry, fsys fs.FS, o Options) *Folder {
	f := newFolder("NewFolder", reg, o, "file system", fsys)
	f.fsys = fsys
	return f
}

// NewDir returns a Folder for a directory of the operating system. Links cannot leave the
// directory: each reload opens it as an [os.Root]. If other programs replace files during a reload,
// no link is followed in the place of a file, and no pipe is waited for. NewDir reads no files. It
// panics if reg is nil, dir is empty or an option is negative.
func NewDir(reg *prompts.Registry, dir string, o Options) *Folder {
	f := newFolder("NewDir", reg, o)
	if dir == "" {
		panic(errors.New(`promptfs: NewDir: directory is empty; use "." for the current directory`))
	}
	f.dir = dir
	return f
}

func newFolder(caller string, reg *prompts.Registry, o Options, arguments ...any) *Folder {
	o, err := o.filled(caller, append(arguments, "registry", reg)...)
	if err != nil {
		panic(err)
	}
	f := &Folder{registry: reg, options: o, notify: fsnotify.NewWatcher, turn: make(chan struct{}, 1), reported: map[string]error{}}
	f.table, f.skills = newTable(&f.options), newSkillTable(&f.options)
	f.turn <- struct{}{}
	return f
}

// Reload reads changed files and updates the registry in one step. Readers of the registry see all
// changes or none, and subscribers get one signal, or none if nothing changed.
//
// An invalid file changes nothing: its prompt keeps the last valid version. This includes a file
// whose prompt cannot be a tool of package prompttools. If the folder cannot be read, all prompts
// are kept. Reload returns all current errors, joined, including old ones, each an [*Error], or the
// reason why it could not run. If ctx ends, Reload changes nothing and returns the error of ctx.
//
// Reloads run one at a time. Do not call Reload from Options.OnReload, or inside an
// Update of the registry.
func (f *Folder) Reload(ctx context.Context) error { return f.reloadAfter(ctx, 0) }

var errNotMade = errors.New("promptfs: Folder is not made by NewFolder or NewDir")

// reloadAfter is Reload, but that it does nothing and returns errChanging if a
// file has changed within the time that is given.
func (f *Folder) reloadAfter(ctx context.Context, quiet time.Duration) error {
	end, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	report, err := f.reload(ctx, quiet)
	if errors.Is(err, errChanging) {
		return err
	}
	return f.finish(ctx, report, err)
}

func (f *Folder) begin(ctx context.Context) (end func(), err error) {
	if f == nil || f.turn == nil {
		return nil, errNotMade
	}
	select {
	case <-f.turn:
		return func() { f.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// finish ends a reload: it reports the changes and returns the error for the
// caller. The caller of finish holds the turn.
func (f *Folder) finish(ctx context.Context, report *Report, err error) error {
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report = &Report{Err: err}
	}
	f.announce(ctx, report)
	return report.Err
}

func (f *Folder) open() (fs.FS, func(), error) {
	switch {
	case f.store != nil:
		return newMemory(f.store.files), func() {}, nil
	case f.dir == "":
		return f.fsys, func() {}, nil
	}
	d, err := regular.OpenDir(f.dir)
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

// reload is Reload for the one whose turn it is. The error says why nothing could be done.
func (f *Folder) reload(ctx context.Context, quiet time.Duration) (*Report, error) {
	fsys, done, err := f.open()
	if err != nil {
		return nil, f.unreadable(err)
	}
	defer done()
	s := newSource(fsys, &f.options)
	s.quiet = quiet
	if len(s.faults) > 0 {
		s.ignore = f.table.ignore
	}
	if f.options.Skills != nil {
		if err := f.skills.refresh(ctx, s); err != nil {
			return nil, f.unreadable(err)
		}
	}
	if err := f.table.refresh(ctx, s); err != nil {
		return nil, f.unreadable(err)
	}
	return f.apply(ctx, s)
}

// errMissing says that prompts must be made again, because other code has removed them.
var errMissing = errors.New("prompts are missing")

// apply plans within the change of the registry, so that no other change comes between.
func (f *Folder) apply(ctx context.Context, s *source) (*Report, error) {
	more := append(f.store.errors(s.fsys), f.skills.all()...)
	isStrict := f.store != nil && f.store.release != nil
	var p *plan
	var release prompts.Release
	err, isAgain := error(nil), false
	for rejected := map[string]error{}; ; {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		err = f.registry.Update(func(tx *prompts.Tx) error {
			if p = f.table.plan(tx.Lookup, rejected); len(p.missing) > 0 && !isAgain {
				return errMissing
			}
			if isStrict {
				if err := join(slices.Concat(p.faults, more)); err != nil {
					return err
				}
			}
			for _, name := range p.remove {
				tx.Remove(name)
			}
			for _, e := range p.entries {
				tx.Merge(e.compiled)
			}
			release = f.servedRelease(p, more)
			return tx.SetRelease(release)
		})
		if errors.Is(err, errMissing) {
			for _, e := range p.missing {
				e.name, e.applied, e.stamp = "", [sha256.Size]byte{}, stamp{} // so that the file is read again
			}
			if err := f.table.refresh(ctx, s); err != nil {
				return nil, f.unreadable(err)
			}
			isAgain = true
		} else if err == nil || !p.reject(err, rejected) {
			break
		}
	}
	switch {
	case err != nil && isOfFiles(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("promptfs: update registry: %w", err)
	}
	f.table.done(p)
	if f.options.Skills != nil {
		f.skills.apply(f.options.Skills)
		more = append(f.store.errors(s.fsys), f.skills.all()...)
	}
	r := p.report(more)
	r.Release = release
	r.SkillsAdded, r.SkillsChanged, r.SkillsRemoved = f.skills.changes.added, f.skills.changes.changed, f.skills.changes.removed
	return r, nil
}

func (f *Folder) unreadable(err error) error {
	var p *fs.PathError
	switch {
	case errors.As(err, &p) && f.dir != "":
		return fmt.Errorf("promptfs: cannot read folder %q (existing prompts are kept): %w", f.dir, p.Err)
	case errors.As(err, &p):
		return fmt.Errorf("promptfs: cannot read the folder (existing prompts are kept): %w", p.Err)
	}
	return err
}

// servedRelease returns the release of what the plan serves. It has no ID if a file is
// invalid: then an older version of the file is served, which is of no release.
func (f *Folder) servedRelease(p *plan, more []*Error) prompts.Release {
	r := prompts.Release{Source: f.options.SourcePrefix}
	if len(p.faults)+len(more) > 0 {
		return r
	}
	switch {
	case f.store != nil && f.store.release != nil:
		r.ID, r.Label = f.store.release.ID, f.store.release.Label
	case f.store != nil:
		if f.store.highest > 0 {
			r.ID = fmt.Sprintf("revision %d", f.store.highest)
		}
	case len(f.table.entries) > 0:
		r.ID = f.table.contentDigest(f.skills)
	}
	return r
}

// report returns the changes of the plan. more are errors in addition to those of
// the files. A SKILL.md can have the same error as a prompt and as a skill.
func (p *plan) report(more []*Error) *Report {
	slices.Sort(p.added)
	slices.Sort(p.changed)
	more = slices.DeleteFunc(more, func(e *Error) bool {
		return slices.ContainsFunc(p.faults, func(f *Error) bool { return f.Path == e.Path && f.Error() == e.Error() })
	})
	return &Report{Added: p.added, Changed: p.changed, Removed: p.remove, Err: join(slices.Concat(p.faults, more))}
}

func (f *Folder) announce(ctx context.Context, r *Report) {
	now, appeared := map[string]error{}, []error{}
	for _, err := range flat(r.Err) {
		text := err.Error()
		if f.reported[text] == nil && now[text] == nil {
			appeared = append(appeared, err)
		}
		now[text] = err
	}
	gone := []error{}
	for _, text := range sortedKeys(f.reported) {
		if now[text] == nil {
			gone = append(gone, f.reported[text])
		}
	}
	message := "invalid prompt file"
	if r.Err != nil && !isOfFiles(r.Err) {
		message = "cannot reload prompts"
	}
	f.log(ctx, slog.LevelWarn, message, appeared)
	f.log(ctx, slog.LevelInfo, "prompt file error fixed", gone)
	isNews := len(appeared)+len(gone) > 0
	f.reported = now
	if len(r.Added)+len(r.Changed)+len(r.Removed) > 0 {
		isNews = true
		attrs := []slog.Attr{slog.String("added", phrase.Enumerate(r.Added)), slog.String("changed", phrase.Enumerate(r.Changed)), slog.String("removed", phrase.Enumerate(r.Removed))}
		if r.Release.ID != "" {
			attrs = append(attrs, slog.String("release", r.Release.ID))
		}
		if r.Release.Label != "" {
			attrs = append(attrs, slog.String("label", r.Release.Label))
		}
		f.options.Logger.LogAttrs(ctx, slog.LevelInfo, "prompts reloaded", attrs...)
	}
	if len(r.SkillsAdded)+len(r.SkillsChanged)+len(r.SkillsRemoved) > 0 {
		isNews = true
		f.options.Logger.InfoContext(ctx, "skills reloaded",
			slog.String("added", phrase.Enumerate(r.SkillsAdded)), slog.String("changed", phrase.Enumerate(r.SkillsChanged)), slog.String("removed", phrase.Enumerate(r.SkillsRemoved)))
	}
	if isNews && f.options.OnReload != nil {
		f.options.OnReload(*r)
	}
}

func isOfFiles(err error) bool {
	e := (*Error)(nil)
	return errors.As(err, &e)
}

func (f *Folder) log(ctx context.Context, level slog.Level, message string, errs []error) {
	for i, err := range errs {
		if i == maxLogged {
			f.options.Logger.WarnContext(ctx, "too many prompt file records; others are not logged", slog.Int("count", len(errs)-i))
			return
		}
		var attrs []slog.Attr
		if e := (*Error)(nil); errors.As(err, &e) {
			if attrs = append(attrs, slog.String("path", e.Path)); e.Line > 0 {
				attrs = append(attrs, slog.Int("line", e.Line))
			}
			err = e.bare()
		}
		f.options.Logger.LogAttrs(ctx, level, message, append(attrs, slog.Any("error", err))...)
	}
}
