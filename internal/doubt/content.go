package doubt

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/mcp-prompts/prompts/internal/regular"
)

// typesOf are the types of files that net/http.DetectContentType knows for certain, by the extension.
var typesOf = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp", ".pdf": "application/pdf",
}

// Content returns how the data of a file differs from what its name says, or the empty string. kind
// is image, audio or resource. contentType is what net/http.DetectContentType returns.
func Content(kind, name string, data []byte, contentType string) (message, fix string) {
	found, _, _ := strings.Cut(contentType, ";")
	extension := strings.ToLower(path.Ext(name))
	want, isKnown := typesOf[extension]
	isText := strings.HasPrefix(found, "text/") && extension != ".svg"
	switch {
	case bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")):
		return name + " has a pointer of Git LFS in place of the content", "run git lfs pull"
	case regular.IsHidden(name):
		return name + " is a hidden file, and is sent", "rename the file, or remove the message"
	case len(data) == 0:
		return name + " is empty", "write the content, or remove the message"
	case isKnown && found != want || kind != "resource" && isText || kind == "audio" && strings.HasPrefix(found, "image/"):
		return fmt.Sprintf("%s has content of the type %s", name, found), "replace the file, or give the name the extension of the type"
	}
	return "", ""
}
