package promptfs

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
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

const (
	knownImages = "png, jpg, gif, webp, svg, avif, bmp, ico, tiff, heic"
	knownAudio  = "wav, mp3, ogg, opus, flac, m4a, aac, weba"
)

// dependency is a file that a prompt was made of, beside its own.
type dependency struct {
	path  string
	stamp stamp
	sum   [sha256.Size]byte
}

// content returns the content that a message sends in place of a text, or nil if
// the file is invalid. dir is the folder of the file that names it. A missing file
// is a dependency too: creating the file fixes the error.
func (s *source) content(p part, dir string, f *fileErrors) (prompts.Content, *dependency) {
	name, err := resourcePath(dir, p.file)
	if err != nil {
		f.add(p.mark, "%s: %w", shown(p.file), err)
		return nil, nil
	}
	extension := strings.ToLower(path.Ext(name))
	mime := ""
	switch {
	case p.kind == "image":
		if mime = imageTypes[extension]; mime == "" {
			f.add(p.mark, "%s: nobody knows the type of this image; give its name one of the extensions %s", shown(p.file), knownImages)
			return nil, nil
		}
	case p.kind == "audio":
		if mime = audioTypes[extension]; mime == "" {
			f.add(p.mark, "%s: nobody knows the type of this recording; give its name one of the extensions %s", shown(p.file), knownAudio)
			return nil, nil
		}
	}
	if s.fsys == nil {
		f.add(p.mark, "%s: there are no files beside this one to send", shown(p.file))
		return nil, nil
	}
	stamp, info, err := s.stat(name)
	if err != nil {
		f.add(p.mark, "%s: %w", shown(p.file), unreadable(err))
		return nil, &dependency{path: name}
	}
	data, err := s.read(stamp.real, info, s.options.MaxResourceBytes)
	if err != nil {
		f.add(p.mark, "%s: %w", shown(p.file), err)
		return nil, &dependency{path: name}
	}
	used := &dependency{name, stamp, sha256.Sum256(data)}
	switch p.kind {
	case "image":
		return prompts.Image{Data: data, MIMEType: mime}, used
	case "audio":
		return prompts.Audio{Data: data, MIMEType: mime}, used
	}
	r := prompts.EmbeddedResource{URI: s.uri(name), MIMEType: typeOf(extension)}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Blob = data
	}
	return r, used
}

// typeOf returns the type of a resource, empty for what the protocol takes it
// for without one.
func typeOf(extension string) string {
	for _, types := range []map[string]string{resourceTypes, imageTypes, audioTypes} {
		if t := types[extension]; t != "" {
			return t
		}
	}
	return ""
}

// uri returns the URI of a resource.
func (s *source) uri(name string) string {
	return s.options.ResourceBase + (&url.URL{Path: name}).EscapedPath()
}

// resourcePath returns the path of a file that one in the folder dir names.
func resourcePath(dir, file string) (string, error) {
	if strings.Contains(file, `\`) {
		relative := strings.TrimLeft(strings.ReplaceAll(file, `\`, "/"), "/")
		return "", fmt.Errorf(`a path has / and not \; write %s`, relative)
	}
	if path.IsAbs(file) {
		return "", fmt.Errorf("the path is absolute; write the one from the folder of this file, such as images/%s", path.Base(file))
	}
	name := path.Join(dir, file)
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("the path leads out of the folder of prompts; put the file into it")
	}
	return name, nil
}
