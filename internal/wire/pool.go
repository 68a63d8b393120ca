package wire

import (
	"sync"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// maxPooledBuffer is the capacity in bytes above which a buffer is not pooled,
// so that one large message does not stay in memory. A Doc has a bound of its
// own.
const maxPooledBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// GetBuffer returns an empty buffer from the pool.
func GetBuffer() *[]byte { return buffers.Get().(*[]byte) }

// PutBuffer returns a buffer to the pool.
func PutBuffer(b *[]byte) {
	if cap(*b) <= maxPooledBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

var docs = sync.Pool{New: func() any { return new(strictjson.Doc) }}

// GetDoc returns an empty document from the pool.
func GetDoc() *strictjson.Doc { return docs.Get().(*strictjson.Doc) }

// PutDoc returns a document to the pool.
func PutDoc(d *strictjson.Doc) {
	d.Reset()
	docs.Put(d)
}
