package promptskills

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	markdownType  = "text/markdown"
	directoryType = "inode/directory"
)

var types = map[string]string{
	".md": markdownType, ".markdown": markdownType, ".txt": "text/plain", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".html": "text/html", ".htm": "text/html", ".css": "text/css", ".xml": "application/xml", ".svg": "image/svg+xml",
	".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript", ".ts": "text/x-typescript", ".tsx": "text/x-typescript",
	".json": "application/json", ".jsonl": "application/jsonl", ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml",
	".py": "text/x-python", ".sh": "application/x-sh", ".go": "text/x-go", ".rb": "text/x-ruby", ".rs": "text/x-rust", ".java": "text/x-java",
	".c": "text/x-c", ".h": "text/x-c", ".sql": "application/sql", ".tex": "text/x-tex", ".ipynb": "application/x-ipynb+json",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".ico": "image/x-icon",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm",
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar", ".wasm": "application/wasm",
	".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff", ".woff2": "font/woff2",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// typeOf returns the media type of a file, and whether its content is sent as
// text: if it is UTF-8 without a zero byte.
func typeOf(name string, data []byte) (mimeType string, isText bool) {
	isText = utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
	switch mimeType = types[strings.ToLower(path.Ext(name))]; {
	case mimeType != "":
	case isText:
		mimeType = "text/plain"
	default:
		mimeType = "application/octet-stream"
	}
	return mimeType, isText
}
