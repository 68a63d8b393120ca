package promptfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

type table struct {
	options  *Options
	entries  map[string]*entry   // of prompts, by path
	partials partials            // by name
	read     map[string]*partial // the same and those with the name of another, by path
	owners   map[string]string   // the paths of the prompts that are in the registry, by their names
	faults   []*Error            // of folders, links and partials
	folders  []string            // without links, that something was read from, or is missing in
	content  string              // the content digest, once it is asked for
	stale    bool                // a file has changed since
	ignore   []string            // the patterns of Options.Ignore and Options.ReadIgnore
}

// entry is what is known of one file. It is not changed but by [table.done].
type entry struct {
	path  string
	stamp stamp
	// What the file was when it was read last.
	faults   []*Error
	warnings []*Error
	uses     []usedPartial       // partials that it calls
	set      *prompttemplate.Set // all partials at that time, for a file with errors
	files    []dependency
	sum      [sha256.Size]byte
	own      fileSum
	wants    string          // the name of the prompt, if the file is valid
	line     int             // of the name
	prompt   *prompts.Prompt // that is to be set; nil if it is
	// compiled has the prompt that is to be set.
	compiled *prompts.Registry
	// What the registry has of it.
	name    string // empty for nothing
	applied [sha256.Size]byte
}

// usedPartial is a partial as it was; the sum of one that there was not is zero.
type usedPartial struct {
	name string
	sum  [sha256.Size]byte
}

func newTable(o *Options) *table {
	return &table{options: o, ignore: o.Ignore, entries: map[string]*entry{}, read: map[string]*partial{}, owners: map[string]string{}}
}

// refresh looks at the files, and reads those that have changed. If it fails,
// the table is what it was.
func (t *table) refresh(ctx context.Context, s *source) error {
	shared, err := s.scan(ctx, ofPartials, t.options.Partials)
	if err != nil {
		return err
	}
	found, err := s.scan(ctx, ofPrompts, ".")
	if err != nil {
		return err
	}
	read, all, faults, err := s.readPartials(ctx, shared, t.read, t.partials)
	if err != nil {
		return err
	}
	entries, err := refreshed(ctx, found.files, found.unread, t.entries, func(f file, old *entry) *entry {
		if old != nil && old.isCurrent(ctx, s, f, all) {
			return old
		}
		return s.remake(ctx, cmp.Or(old, new(entry)), f, all)
	})
	if err != nil {
		return err
	}
	t.stale = t.stale || !maps.Equal(t.entries, entries) || !maps.Equal(t.read, read)
	t.entries, t.read, t.partials = entries, read, all
	t.ignore = s.ignore
	t.faults = slices.Concat(s.faults, shared.faults, found.faults, faults)
	t.folders = slices.Concat(found.folders, shared.folders, []string{s.nearestFolder(s.options.Partials)})
	for _, e := range entries {
		t.folders = append(t.folders, path.Dir(e.stamp.real))
		for _, d := range e.files {
			if d.stamp.real == "" {
				t.folders = append(t.folders, s.nearestFolder(d.path))
			} else {
				t.folders = append(t.folders, path.Dir(d.stamp.real))
			}
		}
	}
	slices.Sort(t.folders)
	t.folders = slices.Compact(t.folders)
	return nil
}

// refreshed returns the results of look for the files, by path, from several goroutines. old has
// the results of the last time. A file below a path that cannot be read keeps its result.
func refreshed[T any](ctx context.Context, files []file, unread []string, old map[string]*T, look func(f file, old *T) *T) (map[string]*T, error) {
	results := make([]*T, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() { // until each file has its result, or ctx ends
			for i := next.Add(1) - 1; int(i) < len(files) && ctx.Err() == nil; i = next.Add(1) - 1 {
				results[i] = look(files[i], old[files[i].path])
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all := make(map[string]*T, len(files))
	for i, f := range files {
		all[f.path] = results[i]
	}
	for path, result := range old {
		if all[path] == nil && isBelow(path, unread) {
			all[path] = result
		}
	}
	return all, nil
}

// nearestFolder returns the innermost folder above a missing file. It changes when the
// file, or a folder above the file, is created.
func (s *source) nearestFolder(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if stamp, info, err := s.stat(dir); err == nil && info.IsDir() {
			return stamp.real
		}
	}
	return "."
}

func isBelow(path string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return path == o || strings.HasPrefix(path, o+"/") })
}

// isCurrent reports whether the file and all its dependencies are unchanged. A file of the
// operating system with errors is never current, because the change that fixes them may not
// be one of a file.
func (e *entry) isCurrent(ctx context.Context, s *source, f file, all partials) bool {
	if len(e.faults) > 0 && (!s.isMemory || e.set != all.set) || !f.stamp.same(e.stamp) {
		return false
	}
	for _, p := range e.uses {
		if all.sum(p.name) != p.sum {
			return false
		}
	}
	for _, d := range e.files {
		stamp, _, err := s.stat(d.path)
		wasMissing := d.stamp.real == ""
		if err == nil && !stamp.same(d.stamp) || err != nil && (!wasMissing || s.inOtherForm(ctx, d.path) != "") {
			return false
		}
	}
	return true
}

// maxKeptBuffer is the largest buffer in bytes that is kept for the next file.
const maxKeptBuffer = 64 << 10

// buffers has buffers for the contents of prompts, of which parse keeps copies alone.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (s *source) remake(ctx context.Context, old *entry, f file, all partials) *entry {
	e := &entry{path: f.path, stamp: f.stamp, name: old.name, applied: old.applied}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	content, err := s.read(ctx, (*buffer)[:0], f.stamp.real, f.info, int64(s.options.MaxFileBytes))
	if err != nil {
		e.faults = []*Error{newError(f.path, 0, 0, err)}
		return e
	}
	if cap(content) <= maxKeptBuffer {
		*buffer = content
	}
	m := s.parse(ctx, f.path, content, all)
	e.warnings = s.warn(ctx, old.warnings, m.faults.warnings)
	e.faults, e.files, e.sum, e.own, e.line = m.faults.all, m.files, m.sum, m.own, m.line
	if len(e.faults) > 0 {
		e.set = all.set
	}
	if len(m.partials) > 0 {
		e.uses = make([]usedPartial, 0, len(m.partials))
		for name := range m.partials {
			e.uses = append(e.uses, usedPartial{name, all.sum(name)})
		}
	}
	if len(e.faults) == 0 {
		e.wants = m.prompt.Name
		if e.wants != e.name || e.sum != e.applied {
			e.prompt, e.compiled = &m.prompt, m.compiled
		}
	}
	return e
}

// warn logs warnings of a file, unless they are those that the file had before.
func (s *source) warn(ctx context.Context, before, now []*Error) []*Error {
	isSame := func(a, b *Error) bool { return a.Error() == b.Error() }
	if slices.EqualFunc(before, now, isSame) {
		return now
	}
	for _, e := range now {
		if s.warned.Add(1) > maxLogged {
			break
		}
		s.options.Logger.LogAttrs(ctx, slog.LevelWarn, "prompt file loses text", slog.String("path", e.Path), slog.Int("line", e.Line), slog.Any("error", e.bare()))
	}
	return now
}

// readPartials reads the partials that have changed, and returns all by their
// paths and by their names.
func (s *source) readPartials(ctx context.Context, found *scan, before map[string]*partial, old partials) (map[string]*partial, partials, []*Error, error) {
	read, err := refreshed(ctx, found.files, found.unread, before, func(f file, old *partial) *partial {
		if old != nil && f.stamp.same(old.stamp) {
			return old
		}
		content, err := s.read(ctx, nil, f.stamp.real, f.info, int64(s.options.MaxFileBytes))
		p := newPartial(f.path, content)
		if err != nil {
			p.own = []*Error{newError(f.path, 0, 0, err)}
		}
		p.stamp = f.stamp
		return p
	})
	if err != nil {
		return nil, partials{}, nil, err
	}
	named := make(map[string]*partial, len(read))
	var faults []*Error
	for _, file := range sortedKeys(read) {
		p := *read[file] // whoever has it reads it
		name := norm.NFC.String(strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), s.options.Partials+"/"))
		if other := named[name]; other != nil {
			faults = append(faults, newError(file, 0, 0, hint.New("rename one", "duplicate partial %q (also in %s)", name, shown(other.path))))
			continue
		}
		p.name, named[name] = name, &p
	}
	all := old
	if old.set == nil || !old.are(named) {
		all = newPartials(ctx, named, old, s.options)
		for _, p := range all.named {
			for _, e := range p.faults {
				s.misplaced(e)
			}
		}
	}
	for _, p := range all.named {
		faults = append(faults, p.faults...)
	}
	return read, all, faults, ctx.Err()
}

func (all partials) are(named map[string]*partial) bool {
	if len(all.named) != len(named) {
		return false
	}
	for name, p := range named {
		old := all.named[name]
		if old == nil || old.path != p.path || old.sum != p.sum || !slices.Equal(old.own, p.own) {
			return false
		}
	}
	return true
}

type partial struct {
	name   string
	path   string
	text   string
	before int // blank lines before the text
	stamp  stamp
	fileSum
	own    []*Error // the errors of the file
	faults []*Error // own, and the errors of the template
	// What the partials are that it leads to, itself among them.
	uses []*partial
	all  [sha256.Size]byte // the sum of these
}

type partials struct {
	named map[string]*partial
	set   *prompttemplate.Set // nil for none
}

func newPartial(path string, content []byte) *partial {
	p := &partial{path: path, fileSum: fileSumOf(content)}
	f := fileErrors{path: path}
	text, ok := textOf(content, &f)
	if p.text, p.before = trimmed(callsInNFC(text)); ok && p.text == "" {
		f.add(0, hint.New("write the text, or remove the file", "partial is empty"))
	}
	p.own, p.faults = f.all, f.all
	return p
}

// partialCall is the beginning of a call of a partial, and the name.
var partialCall = regexp.MustCompile("({{-?\\s*template\\s+)(\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)")

// callsInNFC returns a text whose calls of partials have the names in NFC, as the partials have.
func callsInNFC(text string) string {
	if norm.NFC.IsNormalString(text) {
		return text
	}
	return partialCall.ReplaceAllStringFunc(text, norm.NFC.String)
}

// sum returns the sum of a partial and of those that it leads to; that of none is zero.
func (all partials) sum(name string) [sha256.Size]byte {
	if p := all.named[name]; p != nil {
		return p.all
	}
	return [sha256.Size]byte{}
}

// newPartials parses the partials that have changed since before, and finds the
// errors of each partial on its own. It returns no partials if ctx ends.
func newPartials(ctx context.Context, named map[string]*partial, before partials, o *Options) partials {
	all := partials{named: named}
	texts := make(map[string]string, len(named))
	for name, p := range named {
		texts[name] = p.text // empty if the file is invalid
		p.faults = p.own
	}
	if before.set == nil {
		before.set, _ = prompttemplate.NewSet(prompttemplate.Options{Funcs: o.Funcs}) // errors of functions are reported with each prompt
	}
	var err error
	if all.set, err = before.set.With(ctx, texts); all.set == nil {
		return partials{}
	}
	more := map[string]*fileErrors{}
	for _, err := range flat(err) {
		e := (*prompttemplate.Error)(nil)
		if !errors.As(err, &e) || named[e.Partial] == nil || len(named[e.Partial].own) > 0 {
			continue
		}
		p := named[e.Partial]
		if more[e.Partial] == nil {
			more[e.Partial] = &fileErrors{path: p.path}
		}
		more[e.Partial].addAt(p.line(e.Line), e.Column, e.Err)
		p.faults = more[e.Partial].all
	}
	for name, p := range named {
		h := sha256.New()
		p.uses = nil
		for _, used := range all.set.Uses(name) {
			u := named[used]
			p.uses = append(p.uses, u)
			fmt.Fprintf(h, "%q", used)
			h.Write(u.sum[:])
		}
		p.all = [sha256.Size]byte(h.Sum(nil))
	}
	return all
}

func (p *partial) line(line int) int {
	if line == 0 {
		return 0
	}
	return p.before + line
}

func (p *partial) error(e *prompttemplate.Error) *Error {
	return newError(p.path, p.line(e.Line), e.Column, e.Err)
}
