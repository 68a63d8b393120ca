package promptfs

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

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
	sum   [sha256.Size]byte
	size  int64
}

// content returns the content that a message sends in place of a text, or nil if
// the file is invalid. dir is the folder of the file that names it. A missing file
// is a dependency too: creating the file fixes the error.
func (s *source) content(ctx context.Context, p part, dir string, f *fileErrors) (prompts.Content, *dependency) {
	name, err := resourcePath(dir, p.file)
	if err != nil {
		f.add(p.mark, ofFile(p.file, err))
		return nil, nil
	}
	extension := strings.ToLower(path.Ext(name))
	mime := ""
	if media, ok := mediaTypes[p.kind]; ok {
		if mime = media.types[extension]; mime == "" {
			f.add(p.mark, ofFile(p.file, hint.New("use one of the extensions "+media.known, "unknown %s type", p.kind)))
			return nil, nil
		}
	}
	if s.fsys == nil {
		f.add(p.mark, ofFile(p.file, errors.New("attachments are not available without a file system")))
		return nil, nil
	}
	stamp, info, err := s.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if other := s.inOtherForm(ctx, name); other != "" {
			name = other
			stamp, info, err = s.stat(name)
		}
	}
	if err != nil {
		f.add(p.mark, ofFile(p.file, unreadable(err)))
		return nil, &dependency{path: name}
	}
	data, err := s.read(ctx, stamp.real, info, s.options.MaxResourceBytes)
	if err != nil {
		f.add(p.mark, ofFile(p.file, err))
		return nil, &dependency{path: name, stamp: stamp}
	}
	used := &dependency{name, stamp, sha256.Sum256(data), int64(len(data))}
	switch p.kind {
	case "image":
		return &prompts.Image{Data: data, MIMEType: mime}, used
	case "audio":
		return &prompts.Audio{Data: data, MIMEType: mime}, used
	}
	r := &prompts.EmbeddedResource{URI: s.uri(name), MIMEType: typeOf(extension)}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Blob = data
	}
	return r, used
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

func ofFile(file string, err error) error {
	fix, bare := hint.Split(err)
	return hint.New(fix, "%s: %w", shown(file), bare)
}

// typeOf returns the type of a resource, empty for what the protocol takes it for without one.
func typeOf(extension string) string {
	for _, types := range []map[string]string{resourceTypes, imageTypes, audioTypes} {
		if t := types[extension]; t != "" {
			return t
		}
	}
	return ""
}

func (s *source) uri(name string) string {
	return s.options.ResourceBase + (&url.URL{Path: norm.NFC.String(name)}).EscapedPath()
}

// resourcePath returns the path of a file that one in the folder dir names.
func resourcePath(dir, file string) (string, error) {
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
