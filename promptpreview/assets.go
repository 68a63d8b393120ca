package promptpreview

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed assets
var files embed.FS

// policy is the Content-Security-Policy of the page. Scripts and styles are files of
// the page, images and audio come from results, and nothing else is loaded. Only
// DOMPurify makes HTML of a text; the policy "worker" has the URL of live.js.
var policy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data: blob:",
	"media-src blob:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types dompurify worker",
}, "; ")

type asset struct {
	name, mimeType, tag string
	plain               []byte
	zipped              func() []byte
}

var assets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	err := fs.WalkDir(files, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		short := strings.TrimPrefix(name, "assets/")
		all[short] = newAsset(short, data)
		return err
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return all
})

// mimeTypes are those of the page's files: what the system says of an extension could be anything.
var mimeTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

func newAsset(name string, data []byte) *asset {
	sum := sha256.Sum256(data)
	return &asset{name: name, mimeType: mimeTypes[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: data, zipped: sync.OnceValue(func() []byte {
		var zipped bytes.Buffer                                    // when it is asked for: the first page does not wait for the tokenizer
		w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // a valid level
		_, _ = w.Write(data)                                       // to memory
		_ = w.Close()
		return zipped.Bytes()
	})}
}

func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", a.mimeType)
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	data := a.plain
	tag := a.tag
	if takesGzip(r) {
		data = a.zipped()
		tag = strings.TrimSuffix(tag, `"`) + `-gzip"`
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", tag)
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(data))
}

func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := mime.ParseMediaType("x/" + strings.TrimSpace(part))
		if coding == "x/gzip" && strings.Trim(params["q"], "0.") != "" || coding == "x/gzip" && params["q"] == "" {
			return true
		}
	}
	return false
}
