package wire

import (
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

const (
	// maxPooledBuffer is the capacity in bytes above which a buffer is not pooled for all messages,
	// so that a small message does not hold a large buffer. A Doc has a bound of its own.
	maxPooledBuffer = 64 << 10
	// maxPooledPage is the same for pages of lists.
	maxPooledPage = 1<<20 + maxPooledBuffer
)

var (
	buffers = sync.Pool{New: func() any { return new([]byte) }}
	pages   sync.Pool // of buffers above maxPooledBuffer
)

func GetBuffer() *[]byte { return buffers.Get().(*[]byte) }

func PutBuffer(b *[]byte) {
	*b = (*b)[:0]
	switch {
	case cap(*b) <= maxPooledBuffer:
		buffers.Put(b)
	case cap(*b) <= maxPooledPage:
		pages.Put(b)
	}
}

// GrowPage is slices.Grow for the buffer of a page of a list. A large page reuses the
// buffer of another one of about the same size.
func GrowPage(b []byte, n int) []byte {
	size := len(b) + n
	if size <= max(cap(b), maxPooledBuffer) {
		return slices.Grow(b, n)
	}
	if page, ok := pages.Get().(*[]byte); ok && size <= cap(*page) && cap(*page) <= 2*size { // the capacity counts
		return append(*page, b...)
	}
	return slices.Grow(b, n)
}

var docs = sync.Pool{New: func() any { return new(strictjson.Doc) }}

func GetDoc() *strictjson.Doc { return docs.Get().(*strictjson.Doc) }

func PutDoc(d *strictjson.Doc) {
	d.Reset()
	docs.Put(d)
}
