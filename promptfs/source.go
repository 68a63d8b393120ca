package promptfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
)

type source struct {
	fsys    fs.FS
	links   fs.ReadLinkFS // nil if there are no links
	options *Options
	now     time.Time     // when the reading began
	quiet   time.Duration // for how long a file must not have changed by then
	blocks  bool          // opening a file may block
	// isMemory says that a file has the same stamp only if nothing about the file has changed.
	isMemory bool
	ignore   []string     // the patterns of Options.Ignore and Options.ReadIgnore, in NFC
	faults   []*Error     // of Options.ReadIgnore and of patterns
	forms    sync.Map     // names in NFC to names, by folder: see inOtherForm
	warned   atomic.Int64 // number of warnings, of which maxLogged are logged
	missing  atomic.Int64 // number of missing files, of which maxLogged are compared with those that exist
}

func newSource(fsys fs.FS, o *Options) *source {
	links, _ := fsys.(fs.ReadLinkFS)
	s := &source{fsys: fsys, links: links, options: o, now: time.Now(), blocks: true}
	switch fsys.(type) {
	case *memory:
		s.blocks, s.isMemory = false, true
	case regular.Dir, regular.FS:
		s.blocks = false
	}
	s.readIgnore()
	return s
}

func (s *source) readIgnore() {
	patterns := s.options.Ignore
	if s.options.ReadIgnore != nil && s.fsys != nil {
		more, err := s.options.ReadIgnore(s.fsys)
		patterns = slices.Concat(patterns, more)
		for _, err := range flat(err) {
			e := (*Error)(nil)
			if !errors.As(err, &e) {
				e = newError(".", 0, 0, err)
			}
			s.faults = append(s.faults, e)
		}
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			s.faults = append(s.faults, newError(".", 0, 0, fmt.Errorf("invalid pattern %q of files to ignore", pattern)))
			continue
		}
		s.ignore = append(s.ignore, norm.NFC.String(pattern))
	}
}

// coarse is the coarsest resolution of modification times: a file system may give
// two changes within coarse the same time.
const coarse = 2 * time.Second

// stamp is what can be seen of a file without reading it. Files of equal ones
// have equal contents, if they are settled.
type stamp struct {
	real     string // the path without links
	size     int64
	modified time.Time
	changed  time.Time // zero if the system does not say
	mode     fs.FileMode
	// settled says that the file had not been changed for a while, so that
	// another change has another time.
	settled bool
}

func (s *source) stampOf(real string, info fs.FileInfo) stamp {
	m := info.ModTime()
	return stamp{real, info.Size(), m, regular.Changed(info), info.Mode(), !m.IsZero() && m.Before(s.now.Add(-coarse))}
}

// same reports whether a file that had the stamp before and now has this one need not be read.
func (s stamp) same(before stamp) bool {
	return before.settled && s.real == before.real && s.size == before.size && s.mode == before.mode && s.modified.Equal(before.modified) && s.changed.Equal(before.changed)
}

// errChanging says that somebody may be writing a file.
var errChanging = errors.New("a file is changing")

// isChanging reports whether a file was changed within the quiet time. One of a
// time to come has a clock of its own, and is not waited for.
func (s *source) isChanging(f stamp) bool {
	age := s.now.Sub(f.modified)
	return s.quiet > 0 && -coarse < age && age < s.quiet
}

// errNoFolder is said of what stands in the place of the partials.
var errNoFolder = hint.New("move the file", "folder expected, got a file")

// resolve returns the path without links. A link to a dotfile is an error. The folder of partials
// may have any name.
func (s *source) resolve(name string) (string, error) {
	if s.links == nil {
		return name, nil
	}
	real, err := regular.Resolve(s.links, name)
	if err == nil && real != name && regular.IsHidden(strings.TrimPrefix(real+"/", s.options.Partials+"/")) {
		return "", regular.ErrHidden
	}
	return real, err
}

// stat returns the stamp of what a path leads to.
func (s *source) stat(name string) (stamp, fs.FileInfo, error) {
	real, err := s.resolve(name)
	if err != nil {
		return stamp{}, nil, err
	}
	info, err := fs.Stat(s.fsys, real)
	if err != nil {
		return stamp{}, nil, err
	}
	return s.stampOf(real, info), info, nil
}

func (s *source) readDir(ctx context.Context, real string) ([]fs.DirEntry, error) {
	return regular.UnlessEnded(ctx, s.blocks, func() ([]fs.DirEntry, error) { return fs.ReadDir(s.fsys, real) })
}

// read appends a file that has been looked at to content, which may be nil. What is opened may be
// another file.
func (s *source) read(ctx context.Context, content []byte, real string, info fs.FileInfo, limit int64) ([]byte, error) {
	err := regular.Check(info, limit)
	if err == nil {
		var file fs.File
		if file, err = regular.UnlessEnded(ctx, s.blocks, func() (fs.File, error) { return s.fsys.Open(real) }); err == nil {
			defer file.Close()
			content, err = regular.Append(ctx, content, file, limit)
		}
	}
	if err != nil {
		return nil, unreadable(err)
	}
	return content, nil
}

// unreadable returns an error of a file system in words that fit behind the
// path, which the error may have too.
func unreadable(err error) error {
	var p *fs.PathError
	switch {
	case errors.As(err, new(regular.LimitError)):
		return hint.New("shorten the file", "%w", err)
	case errors.As(err, new(regular.TypeError)):
		return err
	case errors.Is(err, regular.ErrOutside):
		return hint.New("copy the file into the folder", "symbolic link points outside of the prompts folder")
	case errors.Is(err, regular.ErrLoop):
		return hint.New("point the link to a file", "symbolic link loop")
	case errors.Is(err, regular.ErrHidden):
		return hint.New("rename the target", "symbolic link to a dotfile: a name in the path of its target begins with a dot")
	case errors.Is(err, errNoFolder):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("file not found")
	case errors.As(err, &p):
		return fmt.Errorf("cannot read file: %w", p.Err)
	}
	return fmt.Errorf("cannot read file: %w", err)
}

type file struct {
	path  string
	stamp stamp
	info  fs.FileInfo
}

// scan is what is in a folder: the files that are prompts, or partials, or files
// of skills, as far as that can be said without reading them.
type scan struct {
	source *source
	ctx    context.Context
	kind   scanKind

	files   []file
	faults  []*Error
	folders []string // that have been read, without links
	unread  []string // paths that could not be read: what they are is not known
	links   []link
	read    map[string]string // the path by which a folder was read, by that without links
}

type scanKind uint8

const (
	ofPrompts  scanKind = iota
	ofPartials          // any file, SKILL.md included
	ofSkills            // any file in a folder with a SKILL.md, or below one
)

type link struct {
	path, real string
	inSkill    bool
}

// scan finds the files of a kind in all folders, from "." on, or from the folder of partials, which
// may be missing. The error is that "." cannot be read, errChanging, or the end of ctx.
func (s *source) scan(ctx context.Context, kind scanKind, from string) (*scan, error) {
	if kind == ofPartials && (!fs.ValidPath(from) || from == ".") {
		return nil, fmt.Errorf("promptfs: invalid Options.Partials %q: must be a relative folder path without a trailing slash", from)
	}
	c := &scan{source: s, ctx: ctx, kind: kind, read: map[string]string{}}
	err := c.start(from)
	switch {
	case err != nil && kind != ofPartials:
		return c, err
	case err != nil:
		c.unreadable(from, err)
	}
	c.follow()
	slices.SortFunc(c.files, byPath)
	if slices.ContainsFunc(c.files, func(f file) bool { return s.isChanging(f.stamp) }) {
		return c, errChanging
	}
	return c, ctx.Err()
}

// start reads the first folder. Its path may have links.
func (c *scan) start(from string) error {
	if from == "." {
		return c.folder(from, from, false)
	}
	stamp, info, err := c.source.stat(from)
	switch {
	case err != nil:
		return err
	case !info.IsDir(): // a pipe would be waited for
		return errNoFolder
	}
	return c.folder(from, stamp.real, false)
}

func byPath(a, b file) int { return strings.Compare(a.path, b.path) }

func (c *scan) fault(path string, err error) {
	c.faults = append(c.faults, newError(path, 0, 0, err))
}

// unreadable notes a folder or a file that cannot be read, unless it was removed.
func (c *scan) unreadable(path string, err error) {
	if !errors.Is(err, fs.ErrNotExist) && c.ctx.Err() == nil {
		c.fault(path, unreadable(err))
		c.unread = append(c.unread, path)
	}
}

// folder reads a folder, but for the links in it. real is its path without
// links. inSkill says that it is below a folder with a SKILL.md.
func (c *scan) folder(at, real string, inSkill bool) error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	c.read[real] = at
	entries, err := c.source.readDir(c.ctx, real)
	if err != nil {
		return err
	}
	c.folders = append(c.folders, real)
	ofSkill := c.kind != ofPartials && promptfile.HasSkill(entries)
	inSkill = inSkill || ofSkill && c.kind == ofSkills
	for _, e := range entries {
		name := e.Name()
		below, belowReal := path.Join(at, name), path.Join(real, name)
		switch {
		case promptfile.IsHidden(name) && (!inSkill || name[0] == '.'), ofSkill && c.kind == ofPrompts && !promptfile.IsSkill(name), c.kind != ofPartials && below == c.source.options.Partials, len(c.source.ignore) > 0 && regular.Matches(c.source.ignore, norm.NFC.String(below)):
		case !utf8.ValidString(name):
			c.fault(below, hint.New("rename the file", "file name is not valid UTF-8"))
		case e.Type()&fs.ModeSymlink != 0:
			c.links = append(c.links, link{below, belowReal, inSkill})
		case e.IsDir():
			if err := c.folder(below, belowReal, inSkill); err != nil {
				c.unreadable(below, err)
			}
		case c.isOurs(name, inSkill):
			info, err := e.Info()
			if err != nil {
				c.unreadable(below, err)
				continue
			}
			c.files = append(c.files, file{below, c.source.stampOf(belowReal, info), info})
		}
	}
	return nil
}

func (c *scan) isOurs(name string, inSkill bool) bool {
	switch {
	case c.kind == ofSkills:
		return inSkill
	case promptfile.IsReadme(name):
		return false
	case c.kind == ofPrompts && promptfile.IsSkill(name) && c.source.options.DisableSkillPrompts:
		return false
	default:
		return promptfile.IsMarkdown(name) || c.kind == ofPartials
	}
}

// follow follows the links, those in folders that others lead to among them. A folder is read once,
// so that links can neither loop nor make many files of a few.
func (c *scan) follow() {
	for len(c.links) > 0 && c.ctx.Err() == nil {
		l := c.links[0]
		c.links = c.links[1:]
		stamp, info, err := c.source.stat(l.real)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if c.isOurs(path.Base(l.path), l.inSkill) {
				c.fault(l.path, hint.New("point the link to a file", "broken symbolic link"))
			}
		case err != nil:
			c.unreadable(l.path, err)
		case info.IsDir() && c.read[stamp.real] != "":
			c.fault(l.path, hint.New("remove the link", "symbolic link to the folder %s, which is already loaded", shown(c.read[stamp.real])))
		case info.IsDir():
			if err := c.folder(l.path, stamp.real, l.inSkill); err != nil {
				c.unreadable(l.path, err)
			}
		case c.isOurs(path.Base(l.path), l.inSkill):
			c.files = append(c.files, file{l.path, stamp, info})
		}
	}
}
