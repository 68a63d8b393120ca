package rpc

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file queues what becomes ready while another message is written, and writes it together:
// with a write for each response, a get over stdio costs 11 % more processor time with 64 in
// flight. One goroutine at a time writes.

// maxQueued is the size in bytes of the responses that may wait for a message that is being
// written. Further senders wait themselves. The bound is in bytes, because docs/limits.md
// counts in bytes what a connection holds.
const maxQueued = 64 << 10

// writeQueue has the responses of a connection that became ready while another message was being
// written. They are written together when that is done. Nothing waits for them but the end of the
// connection. The goroutine that has the write lock of the connection owns the last three fields.
type writeQueue struct {
	unsent limit.WaitGroup // responses in the queue, or taken and not written

	mu    sync.Mutex // protects the fields below
	texts *[]byte    // nil when taken
	ends  []int      // of the messages in texts

	// Of the goroutine that writes:
	taken  *[]byte
	queued int      // messages in taken
	msgs   [][]byte // these, and the one that was not queued
}

func (q *writeQueue) push(msg []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.texts == nil {
		q.texts = wire.GetBuffer()
	}
	// A client that does not read must slow its own requests down, and not fill the memory of
	// the server.
	if len(*q.texts)+len(msg) > maxQueued {
		return false
	}
	// A copy, because the caller gives its buffer back to the pool when send returns.
	*q.texts = append(*q.texts, msg...)
	q.ends = append(q.ends, len(*q.texts))
	q.unsent.Add()
	return true
}

func (q *writeQueue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.ends) == 0
}

// take takes the messages out, and appends last unless that is nil. When they are written,
// done must be called. The caller has the write lock, so no other goroutine takes meanwhile.
func (q *writeQueue) take(last []byte) [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	start := 0
	for _, end := range q.ends {
		// The capacity ends with the message, so that a transport that appends cannot overwrite
		// the next one.
		q.msgs = append(q.msgs, (*q.texts)[start:end:end])
		start = end
	}
	q.texts, q.taken, q.queued, q.ends = nil, q.texts, len(q.ends), q.ends[:0]
	if last != nil {
		q.msgs = append(q.msgs, last)
	}
	return q.msgs
}

func (q *writeQueue) done() {
	// After a failed write as well: the connection has ended, and a drain must not wait for
	// what cannot be sent.
	for range q.queued {
		q.unsent.Done()
	}
	// The slice is used again, and must not keep the messages in memory until then.
	clear(q.msgs)
	q.msgs = q.msgs[:0]
	if q.taken != nil {
		wire.PutBuffer(q.taken)
		q.taken = nil
	}
}

// send is the Send of the connection's exchange. A response never waits for another
// goroutine's write if the queue has room: its task can end and its worker take the next job.
func (c *connection) send(msg []byte, _ transport.Code, last bool) error {
	// Progress and requests to the client are not queued: their sender waits, so that they
	// cannot pass the response.
	if !last {
		return c.write(msg)
	}
	if c.tryLock() {
		return c.flush(msg)
	}
	// The queue is full, so the client does not keep up. Waiting here slows down the requests
	// of this client only.
	if !c.queue.push(msg) {
		return c.write(msg)
	}
	if c.tryLock() { // the goroutine that was writing may not have seen it
		return c.flush(nil)
	}
	return nil
}

// emit is that of the connection's exchange. A message of a request, such as a report of
// progress, may wait here behind a slow write, and the request may be completed meanwhile.
func (c *connection) emit(msg []byte, completed *atomic.Bool) error {
	if err := c.lock(); err != nil {
		return err
	}
	// Checked under the lock: after its response, nothing of a request may be written.
	if completed.Load() {
		c.unlock()
		return ErrAnswered
	}
	return c.flush(msg)
}

func (c *connection) write(msg []byte) error {
	if err := c.lock(); err != nil {
		return err
	}
	return c.flush(msg)
}

// tryLock reports whether the caller may write. If so, flush or unlock must follow.
func (c *connection) tryLock() bool {
	select {
	case c.writeLock <- struct{}{}:
		return true
	default:
		return false
	}
}

func (c *connection) lock() error {
	select {
	case c.writeLock <- struct{}{}:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// unlock lets others write. What was queued meanwhile is left to another goroutine: this one may
// have to read on. Between the last take and the release of the lock, a push may have found the
// lock taken. Without the second look, its response would wait for the next message.
func (c *connection) unlock() {
	<-c.writeLock
	if !c.queue.isEmpty() && c.tryLock() {
		// On another goroutine, because this one may be the reader, which must not wait for a
		// slow client.
		c.submit(flushJob{c})
	}
}

type flushJob struct{ c *connection }

func (f flushJob) run() error { return f.c.flush(nil) }

// flush writes what is queued and then msg, unless that is nil, and unlocks. The order of the
// deferred calls matters: done clears what take has returned, and only then may another
// goroutine take.
func (c *connection) flush(msg []byte) error {
	defer c.unlock()
	defer c.queue.done()
	return c.writeMessages(c.queue.take(msg))
}

// writeMessages calls the connection's Write. The slice is reused: one made for the call
// would be allocated for each message.
func (c *connection) writeMessages(msgs [][]byte) (err error) {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if len(msgs) == 0 {
		return nil
	}
	err = ErrNoReturn // if Write panics or ends its goroutine
	defer func() {
		if err != nil {
			err = fmt.Errorf("write message: %w", err)
			// A message may be written in part, and whatever follows it would be unreadable.
			c.cancel(err)
		}
	}()
	return c.conn.Write(c.ctx, msgs...)
}
