package promptfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/regular"
)

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

// scanKind says which files a scan finds.
type scanKind uint8

const (
	ofPrompts  scanKind = iota
	ofPartials          // any file, SKILL.md included
	ofSkills            // any file in a folder with a SKILL.md, or below one
)

// link is a link that has yet to be followed.
type link struct {
	path, real string
	inSkill    bool
}

// scan finds the files of a kind in all folders. The error is that the folder cannot be read, or
// the end of ctx.
func (s *source) scan(ctx context.Context, kind scanKind) (*scan, error) {
	c := &scan{source: s, ctx: ctx, kind: kind, read: map[string]string{}}
	if err := c.folder(".", ".", false); err != nil {
		return c, err
	}
	c.follow()
	c.sort()
	return c, ctx.Err()
}

// scanPartials finds the partials. There may be none.
func (s *source) scanPartials(ctx context.Context) (*scan, error) {
	found := &scan{source: s, ctx: ctx, kind: ofPartials, read: map[string]string{}}
	at := s.options.Partials
	if !fs.ValidPath(at) || at == "." {
		return found, fmt.Errorf("promptfs: invalid Options.Partials %q: must be a relative folder path without a trailing slash", at)
	}
	real, err := s.resolve(at)
	if err == nil {
		var info fs.FileInfo
		if info, err = fs.Stat(s.fsys, real); err == nil && !info.IsDir() { // a pipe would be waited for
			err = errNoFolder
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		found.unreadable(at, err)
		return found, ctx.Err()
	}
	if err := found.folder(at, real, false); err != nil {
		found.unreadable(at, err)
	}
	found.follow()
	found.sort()
	return found, ctx.Err()
}

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

func (c *scan) sort() {
	slices.SortFunc(c.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
}

func isHidden(name string) bool { return name[0] == '.' || name[0] == '_' }

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
	ofSkill := c.kind != ofPartials && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isSkill(e.Name()) && !e.IsDir() })
	inSkill = inSkill || ofSkill && c.kind == ofSkills
	for _, e := range entries {
		name := e.Name()
		below, belowReal := path.Join(at, name), path.Join(real, name)
		switch {
		case isHidden(name) && (!inSkill || name[0] == '.'), ofSkill && c.kind == ofPrompts && !isSkill(name), c.kind != ofPartials && below == c.source.options.Partials, len(c.source.ignore) > 0 && regular.Matches(c.source.ignore, norm.NFC.String(below)):
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
	switch bare, isPrompt := isMarkdown(name); {
	case c.kind == ofSkills:
		return inSkill
	case isPrompt && strings.EqualFold(bare, "README"):
		return false
	case c.kind == ofPrompts && isSkill(name) && c.source.options.DisableSkillPrompts:
		return false
	default:
		return isPrompt || c.kind == ofPartials
	}
}

func isSkill(name string) bool { return strings.EqualFold(name, "SKILL.md") }

// isMarkdown reports whether the extension of a name is that of Markdown, and
// returns the name without it.
func isMarkdown(name string) (bare string, ok bool) {
	extension := path.Ext(name)
	return strings.TrimSuffix(name, extension), strings.EqualFold(extension, ".md") || strings.EqualFold(extension, ".markdown")
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
