package promptskills

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// The limits of one skill, which hosts need not exceed (SKL-16).
const (
	// MaxFiles is the maximum number of files of a skill, including the files of skills below.
	MaxFiles = 512
	// MaxBytes is the maximum size of all files of a skill together, including the
	// files of skills below.
	MaxBytes = 16 << 20
)

// Skill is a folder of files for an agent, in the format of Agent Skills
// (https://agentskills.io/specification).
type Skill struct {
	// Path is the path of the skill among the skills of the server, with slashes,
	// such as acme/billing/refunds. The last segment is the skill's name. The URI of
	// its main file is skill:// followed by the path and /SKILL.md.
	Path string
	// Frontmatter is the front matter of SKILL.md as a JSON object, with every
	// field. Required: name and description. Hosts reject a skill if Frontmatter and
	// SKILL.md differ. promptfs.ParseFrontmatter returns the Frontmatter of a file.
	Frontmatter json.RawMessage
	// Files contains the content of each file by its path in the skill, such as scripts/extract.py.
	// SKILL.md is required. A file of a skill below belongs to the lower skill, and the server
	// counts the file for both. The contents must not be changed afterwards.
	Files map[string][]byte
	// Dynamic, if not nil, replaces Files with generated content: the current files
	// for the client in ctx. The server publishes no digests for such a skill, and
	// some hosts do not load such skills. Dynamic runs for each read of a file or a
	// directory, concurrently, by the rules for the ctx of a prompts.RenderFunc.
	Dynamic func(ctx context.Context) (fs.FS, error)
	// Source is the origin of the skill. It is not sent to clients.
	Source string
}

// URI returns the URI of the skill's SKILL.md.
func (s Skill) URI() string { return uriOf(s.Path + "/" + promptfile.SkillFile) }

// Error is an error in a [Skill].
type Error struct {
	// Skill is the path of the skill.
	Skill string
	// File is the path of the file in the skill. It is empty if the error is not in a file.
	File string
	// Err describes the error. The text may change.
	Err error
}

// Error returns the skill, the file and the text.
func (e *Error) Error() string {
	if e.File == "" {
		return fmt.Sprintf("skill %q: %v", e.Skill, e.Err)
	}
	return fmt.Sprintf("skill %q: file %q: %v", e.Skill, e.File, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Check returns all errors of the skill alone, joined, each an [*Error]. A registry
// returns the same errors.
func (s Skill) Check() error {
	_, err := compile(s)
	return err
}

type file struct {
	name     string // the path in the skill
	digest   [sha256.Size]byte
	data     []byte
	mimeType string
	isText   bool
}

// compiled is a Skill that was checked. It is immutable.
type compiled struct {
	skill       Skill
	name        string
	description string
	files       []file // in the order of their names; nil if dynamic
	bytes       int64
}

func compile(s Skill) (*compiled, error) {
	var errs []error
	fail := func(file, format string, args ...any) {
		errs = append(errs, &Error{s.Path, file, fmt.Errorf(format, args...)})
	}
	c := &compiled{skill: s, name: path.Base(s.Path)}
	if err := checkPath(s.Path); err != nil {
		fail("", "invalid path: %w", err)
	} else if !isName(c.name) {
		errs = append(errs, &Error{s.Path, "", hint.New("rename the folder", "last segment of the path must have 1 to 64 characters of a-z, 0-9 and single hyphens, not at the ends, got %q", c.name)})
	}
	front, description, problems := checkFrontmatter(s.Frontmatter, c.name)
	for _, p := range problems {
		errs = append(errs, &Error{s.Path, promptfile.SkillFile, p})
	}
	c.skill.Frontmatter, c.description = front, description
	if s.Dynamic != nil {
		if len(s.Files) > 0 {
			fail("", "Files and Dynamic are both set; set only one")
		}
		return c, errors.Join(errs...)
	}
	if main, ok := s.Files[promptfile.SkillFile]; !ok {
		fail("", "%s is missing", promptfile.SkillFile)
	} else if !utf8.Valid(main) {
		fail(promptfile.SkillFile, "content is not valid UTF-8")
	}
	if len(s.Files) > MaxFiles {
		fail("", "skill has %d files (limit %d)", len(s.Files), MaxFiles)
		return c, errors.Join(errs...)
	}
	c.files = make([]file, 0, len(s.Files))
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if err := checkPath(name); err != nil {
			fail(name, "%w", err)
		}
		c.bytes += int64(len(s.Files[name]))
		c.files = append(c.files, file{name: name, data: s.Files[name]})
	}
	for i, f := range c.files {
		// A file in the place of a folder. The names below it follow, if not at once.
		if j, _ := c.find(f.name + "/"); j < len(c.files) && strings.HasPrefix(c.files[j].name, f.name+"/") {
			fail(f.name, "file is also the folder of %q; rename one of the two", c.files[j].name)
		}
		c.files[i].mimeType, c.files[i].isText = typeOf(f.name, f.data)
	}
	if c.bytes > MaxBytes {
		fail("", "files have %d bytes in total (limit %d)", c.bytes, MaxBytes)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for i := range c.files {
		c.files[i].digest = sha256.Sum256(c.files[i].data)
	}
	c.skill.Files = maps.Clone(s.Files)
	return c, nil
}

func (c *compiled) find(name string) (int, bool) {
	return slices.BinarySearchFunc(c.files, name, func(f file, name string) int { return strings.Compare(f.name, name) })
}

func (c *compiled) equal(d *compiled) bool {
	return c.skill.Path == d.skill.Path && c.skill.Source == d.skill.Source && bytes.Equal(c.skill.Frontmatter, d.skill.Frontmatter) &&
		c.skill.Dynamic == nil && d.skill.Dynamic == nil &&
		slices.EqualFunc(c.files, d.files, func(a, b file) bool { return a.name == b.name && a.digest == b.digest })
}

func isName(name string) bool {
	if len(name) == 0 || len(name) > 64 || name[0] == '-' || name[len(name)-1] == '-' || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// checkPath returns an error if a path cannot be part of a URI without loss.
func checkPath(p string) error {
	switch {
	case !fs.ValidPath(p) || p == ".":
		return fmt.Errorf("%q must be a relative path with slashes and without . or .. in it", p)
	case strings.ContainsFunc(p, func(r rune) bool { return r == '\\' || r == utf8.RuneError || unicode.IsControl(r) }):
		return fmt.Errorf("%q must not contain a backslash or a control character", p)
	case len(p) > maxPath:
		return fmt.Errorf("path has %d bytes (limit %d)", len(p), maxPath)
	}
	return nil
}

// maxPath is the maximum length of the path of a skill and of that of a file in it, in bytes.
const maxPath = 1024

// maxFilePath is the maximum length of the path of a file with that of its skill, in bytes.
const maxFilePath = maxPath + len("/") + maxPath

// checkFrontmatter returns the front matter in compact form, the description, and all errors.
func checkFrontmatter(raw json.RawMessage, name string) (front json.RawMessage, description string, errs []error) {
	failWith := func(fix, format string, args ...any) {
		errs = append(errs, hint.New(fix, "front matter: "+format, args...))
	}
	fail := func(format string, args ...any) { failWith("", format, args...) }
	var doc strictjson.Doc
	if err := doc.Parse(string(raw), jsonenc.MaxDepth-8); err != nil {
		fail("must be a JSON object: %w", err)
		return nil, "", errs
	}
	root := doc.Root()
	if root.Kind() != strictjson.Object {
		fail("must be a JSON object with name and description")
		return nil, "", errs
	}
	text := func(key string, most int) string {
		switch v := root.Get(key); {
		case v.Kind() != strictjson.String:
			failWith("quote the value", "%s must be a string, got %s", key, phrase.Clip(v.Raw(), 64))
		case strings.TrimSpace(v.Text()) == "":
			failWith("write a text after "+key+":", "%s is empty", key)
		case utf8.RuneCountInString(v.Text()) > most:
			failWith("shorten the text, and move details to the body", "%s has %d characters (limit %d)", key, utf8.RuneCountInString(v.Text()), most)
		default:
			return v.Text()
		}
		return ""
	}
	const noLimit = 1 << 30
	for _, key := range []string{"name", "description"} {
		if root.Get(key).Kind() == strictjson.Invalid {
			fix := "add description: with the purpose of the skill"
			if key == "name" {
				fix = "add name: " + name
			}
			failWith(fix, "%s is missing", key)
		}
	}
	if root.Get("name").Kind() != strictjson.Invalid {
		if got := text("name", noLimit); got != "" && got != name {
			fix := "use the same name for both"
			if isName(name) {
				fix = fmt.Sprintf("write name: %s, or rename the folder", name)
			}
			failWith(fix, "name is %q, but the folder is %q", got, name)
		}
	}
	if root.Get("description").Kind() != strictjson.Invalid {
		description = text("description", 1024)
	}
	if root.Get("compatibility").Kind() != strictjson.Invalid {
		text("compatibility", 500)
	}
	if root.Get("license").Kind() != strictjson.Invalid {
		text("license", noLimit)
	}
	if k := root.Get("metadata").Kind(); k != strictjson.Invalid && k != strictjson.Object {
		failWith("write key: value pairs below it, indented", "metadata must be a mapping")
	}
	if k := root.Get("allowed-tools").Kind(); k != strictjson.Invalid && k != strictjson.String && k != strictjson.Array {
		fail("allowed-tools must be a string or a list of strings")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		fail("must be a JSON object: %w", err)
	}
	return compact.Bytes(), description, errs
}

func (f *file) appendResource(dst []byte, skill string) []byte {
	dst = append(dst, `{"uri":`...)
	dst = strictjson.AppendString(dst, uriOf(skill+"/"+f.name))
	dst = append(dst, `,"digest":"sha256:`...)
	dst = hex.AppendEncode(dst, f.digest[:])
	dst = append(dst, `","size":`...)
	dst = strconv.AppendInt(dst, int64(len(f.data)), 10)
	return append(dst, '}')
}
