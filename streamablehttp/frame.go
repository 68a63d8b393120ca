package streamablehttp

import "sync"

// maxPooledFrame is the size in bytes above which a frame is left to the
// collector, so that one large message does not stay for ever.
const maxPooledFrame = 64 << 10

var frames = sync.Pool{New: func() any { return new([]byte) }}

func getFrame() *[]byte { return frames.Get().(*[]byte) }

func putFrame(f *[]byte) {
	if cap(*f) <= maxPooledFrame {
		*f = (*f)[:0]
		frames.Put(f)
	}
}
