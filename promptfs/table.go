package promptfs

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// table is what is known of the files of a folder.
type table struct {
	options  *Options
	entries  map[string]*entry   // of prompts, by path
	partials partials            // by name
	read     map[string]*partial // the same and those with the name of another, by path
	owners   map[string]string   // the paths of the prompts that are in the registry, by their names
	broken   map[string][]*Error // what kept prompts out of the registry when it was last updated, by path
	faults   []*Error            // of folders, links and partials
	folders  []string            // without links, that something was read from, or is missing in
	content  string              // the content digest, once it is asked for
	stale    bool                // a file has changed since
}

// entry is what is known of one file. It is not changed but by [table.done].
type entry struct {
	path  string
	stamp stamp
	// What the file was when it was read last.
	faults   []*Error
	warnings []*Error
	uses     []usedPartial // partials that it calls
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
	return &table{options: o, entries: map[string]*entry{}, read: map[string]*partial{}, owners: map[string]string{}}
}

// refresh looks at the files, and reads those that have changed. If it fails,
// the table is what it was.
func (t *table) refresh(ctx context.Context, s *source) error {
	ofPartials, err := s.scanPartials(ctx)
	if err != nil {
		return err
	}
	found, err := s.scanPrompts(ctx)
	if err != nil {
		return err
	}
	for _, f := range slices.Concat(ofPartials.files, found.files) {
		if s.isChanging(f) {
			return errChanging
		}
	}
	read, all, faults := s.readPartials(ctx, ofPartials, t.read, t.partials)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	looked := make([]*entry, len(found.files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(found.files)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(looked) && ctx.Err() == nil; i = next.Add(1) - 1 {
				f := found.files[i]
				looked[i] = s.look(ctx, t.entries[f.path], f, all)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	entries := make(map[string]*entry, len(looked))
	for _, e := range looked {
		entries[e.path] = e
	}
	for path, e := range t.entries {
		if entries[path] == nil && isBelow(path, found.unread) {
			entries[path] = e // what cannot be looked at has not gone
		}
	}
	t.stale = t.stale || !maps.Equal(t.entries, entries) || !maps.Equal(t.read, read)
	t.entries, t.read, t.partials = entries, read, all
	t.faults = slices.Concat(ofPartials.faults, found.faults, faults)
	t.folders = slices.Concat(found.folders, ofPartials.folders, []string{s.nearestFolder(s.options.Partials)})
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

// look returns the entry of a file. old is what it was, nil if that is not
// known.
func (s *source) look(ctx context.Context, old *entry, f file, all partials) *entry {
	if old == nil {
		return s.remake(ctx, &entry{path: f.path}, f, all)
	}
	if !old.isCurrent(s, f, all) {
		return s.remake(ctx, old, f, all)
	}
	if old.stamp != f.stamp { // it may have settled
		same := *old
		same.stamp, old = f.stamp, &same
	}
	return old
}

// isBelow reports whether the path is one of the others, or below one.
func isBelow(path string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return path == o || strings.HasPrefix(path, o+"/") })
}

// isCurrent reports whether the file and all its dependencies are unchanged. An
// entry with errors is never current, because the change that fixes them is not
// known.
func (e *entry) isCurrent(s *source, f file, all partials) bool {
	if len(e.faults) > 0 || !f.stamp.same(e.stamp) {
		return false
	}
	for _, p := range e.uses {
		if all.sum(p.name) != p.sum {
			return false
		}
	}
	for _, d := range e.files {
		if stamp, _, err := s.stat(d.path); err != nil || !stamp.same(d.stamp) {
			return false
		}
	}
	return true
}

// maxKeptBuffer is the largest buffer in bytes that is kept for the next file.
const maxKeptBuffer = 64 << 10

// buffers has buffers for the contents of prompts, of which parse keeps copies alone.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// remake reads a file again and returns its new entry.
func (s *source) remake(ctx context.Context, old *entry, f file, all partials) *entry {
	e := &entry{path: f.path, stamp: f.stamp, name: old.name, applied: old.applied}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	content, err := s.appendFile(ctx, (*buffer)[:0], f.stamp.real, f.info, s.options.MaxFileBytes)
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
func (s *source) readPartials(ctx context.Context, found *scan, before map[string]*partial, old partials) (map[string]*partial, partials, []*Error) {
	read := make(map[string]*partial, len(found.files))
	for _, f := range found.files {
		if ctx.Err() != nil {
			return nil, partials{}, nil
		}
		p := before[f.path]
		if p == nil || !f.stamp.same(p.stamp) {
			p = s.readPartial(ctx, f)
		}
		read[f.path] = p
	}
	for path, p := range before {
		if read[path] == nil && isBelow(path, found.unread) {
			read[path] = p
		}
	}
	named := make(map[string]*partial, len(read))
	var faults []*Error
	for _, path := range sortedKeys(read) {
		p := *read[path] // whoever has it reads it
		name := partialName(s.options.Partials, path)
		if other := named[name]; other != nil {
			faults = append(faults, newError(path, 0, 0, hint.New("rename one", "duplicate partial %q (also in %s)", name, shown(other.path))))
			continue
		}
		p.name, named[name] = name, &p
	}
	all := old
	if old.set == nil || !old.are(named) {
		all = newPartials(ctx, named, old, s.options)
	}
	for _, p := range all.named {
		faults = append(faults, p.faults...)
	}
	return read, all, faults
}

// are reports whether the partials have these contents.
func (all partials) are(named map[string]*partial) bool {
	if len(all.named) != len(named) {
		return false
	}
	for name, p := range named {
		old := all.named[name]
		if old == nil || old.path != p.path || old.sum != p.sum || len(old.own) > 0 || len(p.own) > 0 {
			return false
		}
	}
	return true
}

// readPartial reads one partial.
func (s *source) readPartial(ctx context.Context, f file) *partial {
	content, err := s.read(ctx, f.stamp.real, f.info, s.options.MaxFileBytes)
	if err != nil {
		return &partial{path: f.path, stamp: f.stamp, own: []*Error{newError(f.path, 0, 0, err)}}
	}
	p := newPartial(f.path, content)
	p.stamp = f.stamp
	return p
}

// partialName returns the name of a partial: its path in the folder of
// partials, without the extension, in NFC.
func partialName(folder, file string) string {
	return norm.NFC.String(strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), folder+"/"))
}

// again makes the prompts of entries that have none any more.
func (t *table) again(ctx context.Context, s *source, entries []*entry) {
	for _, e := range entries {
		stamp, info, err := s.stat(e.stamp.real)
		if err != nil {
			continue // the file was removed meanwhile; the next reload sees that
		}
		old := *e
		old.name, old.applied = "", [sha256.Size]byte{}
		t.entries[e.path] = s.remake(ctx, &old, file{e.path, stamp, info}, t.partials)
	}
}
