package prompts

import (
	"sync"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// maxPooledBuffer is the size in bytes above which a buffer is left to the
// collector, so that one large message does not stay for ever. Documents see
// to that themselves.
const maxPooledBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func takeBuffer() *[]byte { return buffers.Get().(*[]byte) }

func giveBuffer(b *[]byte) {
	if cap(*b) <= maxPooledBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// reading is a message while it is read: nothing of it may be kept.
type reading struct {
	doc  strictjson.Doc
	call call
}

var readings = sync.Pool{New: func() any { return new(reading) }}

func takeReading() *reading { return readings.Get().(*reading) }

func giveReading(r *reading) {
	r.doc.Reset()
	r.call = call{}
	readings.Put(r)
}

var docs = sync.Pool{New: func() any { return new(strictjson.Doc) }}

func takeDoc() *strictjson.Doc { return docs.Get().(*strictjson.Doc) }

func giveDoc(d *strictjson.Doc) {
	d.Reset()
	docs.Put(d)
}
