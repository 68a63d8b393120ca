package rpc

import (
	"sync"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file pools what is needed to read a message: without the pools of readings and of buffers
// (internal/wire/pool.go), a get over stdio costs 28 % more processor time with 64 in flight.

// reading is a message while it is read. Nothing in it may be kept. Readings are pooled with
// the memory of their documents, which the next message uses again.
type reading struct {
	doc  strictjson.Doc
	call Call
}

var readings = sync.Pool{New: func() any { return new(reading) }}

func getReading() *reading { return readings.Get().(*reading) }

// putReading returns a reading to the pool. The call refers to the session and to strings of
// the message, which the pool must not keep alive.
func putReading(r *reading) {
	r.doc.Reset()
	r.call = Call{}
	readings.Put(r)
}
