package promptfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// part is one message as a file has it: a text, or the file that is sent in its place.
type part struct {
	role prompts.Role
	mark int    // the line that it begins with; 0 if that is the body's beginning
	line int    // the first line of the text
	text string // without the blank lines around it
	kind string // image, audio or resource; empty for a text
	file string // the path, verbatim
	bad  bool   // its mark is invalid
}

var kinds = []string{"image", "audio", "resource"}

var roles = []string{string(prompts.RoleUser), string(prompts.RoleAssistant)}

func malformed(line, inner string) error {
	role, rest, hasMore := strings.Cut(inner, ":")
	if role = strings.ToLower(strings.TrimSpace(role)); hasMore {
		role += ":" + rest
	}
	return hint.New(fmt.Sprintf(`write --- %s ---, or start the line with \ for literal text`, role), "malformed message separator %q", strings.TrimRight(line, " \t"))
}

func unknownRole(role string) error {
	fix := `write --- user ---, or start the line with \ for literal text`
	if kind, _, _ := strings.Cut(role, " "); slices.Contains(kinds, kind) {
		fix = fmt.Sprintf("write --- user: %s ---", explain.Short(role))
	}
	return hint.New(explain.Role(role, roles, fix), "unknown role %q", role)
}

// parseBody parts the body, the first line of which is line of the file, into messages.
func parseBody(body string, line int, f *fileErrors) []part {
	parts := []part{{role: prompts.RoleUser, line: line}}
	var text strings.Builder
	isMisspelt := false  // a line between messages, in the current one
	text.Grow(len(body)) // for one message, as most bodies are
	end := func() {
		p := &parts[len(parts)-1]
		clean, before := trimmed(text.String())
		p.text, p.line = clean, p.line+before
		text.Reset()
		switch {
		case p.bad, isMisspelt:
		case p.kind != "" && p.text != "":
			f.add(p.line, hint.New(fmt.Sprintf("start a new message with --- %s --- above the text", p.role), "message with a file cannot contain text"))
		case p.kind == "" && p.text == "" && p.mark > 0:
			f.add(p.mark, hint.New("add text below this line, or remove the line", "message is empty"))
		}
		isMisspelt = false
	}
	for l := range strings.Lines(body) {
		bare := strings.TrimSuffix(l, "\n")
		if mark, ok := promptfile.ParseMark(bare); ok {
			end()
			p := parseMark(mark, line, f)
			p.mark, p.line = line, line+1
			parts = append(parts, p)
		} else {
			if unescaped := strings.TrimLeft(bare, `\`); unescaped != bare {
				if promptfile.IsMarkLike(unescaped) {
					l = l[1:]
				}
			} else if inner, ok := promptfile.NearlyMark(bare); ok {
				isMisspelt = true
				f.add(line, malformed(bare, inner))
			}
			text.WriteString(l)
		}
		line++
	}
	end()
	if parts[0].text == "" {
		parts = parts[1:] // nothing stands before the first mark
	}
	return parts
}

func parseMark(m promptfile.Mark, line int, f *fileErrors) part {
	p := part{role: prompts.Role(m.Role), kind: m.Kind, file: m.File, bad: true}
	switch {
	case m.Role != roles[0] && m.Role != roles[1]:
		f.add(line, unknownRole(m.Role))
	case m.HasFile && m.Kind != kinds[0] && m.Kind != kinds[1] && m.Kind != kinds[2]:
		f.add(line, hint.New(explain.Suggestion(m.Kind, kinds), "unknown content type %q", m.Kind))
	case m.HasFile && m.File == "":
		f.add(line, hint.New(fmt.Sprintf("write --- %s: %s path/to/file ---", m.Role, m.Kind), "missing file path"))
	default:
		p.bad = false
	}
	return p
}

// The types of files, by the extension of their names. What the system knows
// of types is not asked: it differs from one to the next.
var (
	imageTypes = map[string]string{
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
		".webp": "image/webp", ".svg": "image/svg+xml", ".avif": "image/avif", ".bmp": "image/bmp",
		".ico": "image/x-icon", ".tif": "image/tiff", ".tiff": "image/tiff", ".heic": "image/heic",
	}
	audioTypes = map[string]string{
		".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg",
		".opus": "audio/ogg", ".flac": "audio/flac", ".m4a": "audio/mp4", ".aac": "audio/aac",
		".weba": "audio/webm",
	}
	resourceTypes = map[string]string{
		".md": "text/markdown", ".txt": "text/plain", ".log": "text/plain", ".json": "application/json",
		".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
		".xml": "application/xml", ".csv": "text/csv", ".html": "text/html", ".css": "text/css",
		".js": "text/javascript", ".go": "text/x-go", ".py": "text/x-python", ".sql": "application/sql",
		".pdf": "application/pdf", ".zip": "application/zip",
	}
)

// mediaTypes are the types by the kind of a message, and their extensions.
var mediaTypes = map[string]struct {
	types map[string]string
	known string
}{
	"image": {imageTypes, "png, jpg, gif, webp, svg, avif, bmp, ico, tiff, heic"},
	"audio": {audioTypes, "wav, mp3, ogg, opus, flac, m4a, aac, weba"},
}

// dependency is a file that a prompt was made of, beside its own.
type dependency struct {
	path  string
	stamp stamp // the zero value for a missing file
	fileSum
}

// content returns the content that a message sends in place of a text, or why the file is
// invalid. dir is the folder of the file that names it. A missing file is a dependency too:
// creating the file fixes the error.
func (s *source) content(ctx context.Context, p part, dir string) (prompts.Content, *dependency, error) {
	name, err := resourcePath(dir, p.file)
	if err != nil {
		return nil, nil, err
	}
	extension := strings.ToLower(path.Ext(name))
	mime := ""
	if media, ok := mediaTypes[p.kind]; ok {
		if mime = media.types[extension]; mime == "" {
			return nil, nil, hint.New("use one of the extensions "+media.known, "unknown %s type", p.kind)
		}
	}
	if s.fsys == nil {
		return nil, nil, errors.New("attachments are not available without a file system")
	}
	stamp, info, err := s.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if other := s.inOtherForm(ctx, name); other != "" {
			name = other
			stamp, info, err = s.stat(name)
		}
	}
	if err != nil {
		isMissing := errors.Is(err, fs.ErrNotExist)
		if err = unreadable(err); isMissing {
			err = hint.New(s.alike(ctx, name), "%w", err)
		}
		return nil, &dependency{path: name}, err
	}
	data, err := s.read(ctx, nil, stamp.real, info, int64(s.options.MaxResourceBytes))
	if err != nil {
		return nil, &dependency{path: name, stamp: stamp}, err
	}
	used := &dependency{name, stamp, fileSumOf(data)}
	switch p.kind {
	case "image":
		return &prompts.Image{Data: data, MIMEType: mime}, used, nil
	case "audio":
		return &prompts.Audio{Data: data, MIMEType: mime}, used, nil
	}
	r := &prompts.EmbeddedResource{
		URI: s.options.ResourceBase + (&url.URL{Path: norm.NFC.String(name)}).EscapedPath(),
		// Empty for other extensions: the type is optional.
		MIMEType: cmp.Or(resourceTypes[extension], imageTypes[extension], audioTypes[extension]),
	}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Blob = data
	}
	return r, used, nil
}

// alike returns the fix for a missing file: a file of its folder with a similar name.
func (s *source) alike(ctx context.Context, name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	var entries []fs.DirEntry
	if s.missing.Add(1) <= maxLogged {
		entries, _ = s.readDir(ctx, path.Dir(name))
	}
	stem := func(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
	var stems []string
	for _, e := range entries {
		stems = append(stems, stem(e.Name()))
	}
	n := nearest.Name(stem(name), stems)
	switch i := slices.Index(stems, n); {
	case n != "":
		return fmt.Sprintf("did you mean %q?", entries[i].Name())
	case strings.Contains(name, "*"):
		return "write a message for each file"
	}
	return "write the path from the folder of this file"
}

// misplaced adds to the error of an unknown partial that the partial exists in another place.
func (s *source) misplaced(e *Error) {
	quoted, ok := strings.CutPrefix(e.Err.Error(), "unknown partial ")
	name, err := strconv.Unquote(quoted)
	if !ok || err != nil || s.fsys == nil || !fs.ValidPath(e.Path) {
		return
	}
	for dir := e.Path; dir != "."; {
		dir = path.Dir(dir)
		for _, at := range []string{"_partials/", "partials/", "_"} {
			found := path.Join(dir, at+name+".md")
			if _, info, err := s.stat(found); err == nil && !info.IsDir() {
				e.Hint = fmt.Sprintf("move %s to %s, because only the partials of that folder are read", shown(found), shown(path.Join(s.options.Partials, name+".md")))
				return
			}
		}
	}
}

// inOtherForm returns the path of the file whose name is the same in NFC, as of a file that
// macOS has stored in NFD. It returns "" if the folder has no such file, or several.
func (s *source) inOtherForm(ctx context.Context, name string) string {
	if norm.NFC.String(name) == norm.NFD.String(name) { // it has one form
		return ""
	}
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		found, ok := s.forms.Load(at)
		if !ok {
			names := map[string]string{}
			entries, _ := s.readDir(ctx, at) // stat has returned the error
			for _, e := range entries {
				form := norm.NFC.String(e.Name())
				if _, twice := names[form]; twice {
					names[form] = ""
				} else {
					names[form] = e.Name()
				}
			}
			found, _ = s.forms.LoadOrStore(at, names)
		}
		next := found.(map[string]string)[norm.NFC.String(part)]
		if next == "" {
			return ""
		}
		at = path.Join(at, next)
	}
	return at
}

// resourcePath returns the path of a file that one in the folder dir names.
func resourcePath(dir, file string) (string, error) {
	if err := explain.Path(file); err != nil {
		return "", err
	}
	if strings.Contains(file, `\`) {
		relative := strings.TrimLeft(strings.ReplaceAll(file, `\`, "/"), "/")
		return "", hint.New("write "+relative, "path must use forward slashes")
	}
	if path.IsAbs(file) {
		return "", hint.New("write the path from the folder of this file, for example "+path.Base(file), "path must be relative")
	}
	name := path.Join(dir, file)
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", hint.New("move the file into the folder", "path is outside of the prompts folder")
	}
	return name, nil
}
