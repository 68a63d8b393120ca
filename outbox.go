package prompts

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxUnsent is the size in bytes of the answers that may wait for a message that
// is being written. Who has more to say waits itself.
const maxUnsent = 64 << 10

// outbox has the answers of a connection that have come while another message
// was being written. They are written together, as soon as that is done, and
// nobody waits for that but the end of the connection.
type outbox struct {
	unsent tally // of what is in it, or was taken out to be written

	mu    sync.Mutex // protects the fields below
	texts *[]byte    // nil once they are taken
	ends  []int      // of the messages in texts

	// Of whoever is writing:
	taken *[]byte
	msgs  [][]byte // in taken
}

// put leaves a copy of a message, if there is room.
func (o *outbox) put(msg []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.texts == nil {
		o.texts = takeBuffer()
	}
	if len(*o.texts)+len(msg) > maxUnsent {
		return false
	}
	*o.texts = append(*o.texts, msg...)
	o.ends = append(o.ends, len(*o.texts))
	o.unsent.add()
	return true
}

func (o *outbox) isEmpty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.ends) == 0
}

// take takes out the messages that are waiting. Once they have been written,
// sent must be called.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	start := 0
	for _, end := range o.ends {
		o.msgs = append(o.msgs, (*o.texts)[start:end:end])
		start = end
	}
	o.texts, o.taken, o.ends = nil, o.texts, o.ends[:0]
	return o.msgs
}

// sent says that what was taken has been written.
func (o *outbox) sent() {
	for range o.msgs {
		o.unsent.done()
	}
	clear(o.msgs)
	o.msgs = o.msgs[:0]
	if o.taken != nil {
		giveBuffer(o.taken)
		o.taken = nil
	}
}

// send is the connection's Exchange.Send.
func (c *connection) send(msg []byte, _ Code, last bool) error {
	if !last {
		return c.write(msg)
	}
	if c.mayWrite() {
		return c.transmit(msg)
	}
	if !c.outbox.put(msg) {
		return c.write(msg)
	}
	if c.mayWrite() { // whoever was writing may not have seen it
		return c.transmit(nil)
	}
	return nil
}

// emit is the connection's Exchange.emit.
func (c *connection) emit(t *task, msg []byte) error {
	if err := c.waitToWrite(); err != nil {
		return err
	}
	if t.settled.Load() {
		c.release()
		return errAnswered
	}
	return c.transmit(msg)
}

// write sends a message. If that fails, the connection is over.
func (c *connection) write(msg []byte) error {
	if err := c.waitToWrite(); err != nil {
		return err
	}
	return c.transmit(msg)
}

// mayWrite reports whether the caller may write now, because nobody else does.
// If so, transmit or release must follow.
func (c *connection) mayWrite() bool {
	select {
	case c.writing <- struct{}{}:
		return true
	default:
		return false
	}
}

// waitToWrite is mayWrite in the end, unless the connection is over before.
func (c *connection) waitToWrite() error {
	select {
	case c.writing <- struct{}{}:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// release lets others write. What has come to the outbox meanwhile is left to
// another goroutine: this one may have to read on.
func (c *connection) release() {
	<-c.writing
	if !c.outbox.isEmpty() && c.mayWrite() {
		c.start(flush{c})
	}
}

// flush is the job to send what is in the outbox, for whoever may write.
type flush struct{ c *connection }

func (f flush) run(time.Duration) error { return f.c.transmit(nil) }

// transmit sends what is in the outbox, and then the message, unless that is
// nil. The caller may write, and others may then.
func (c *connection) transmit(msg []byte) error {
	defer c.release()
	defer c.outbox.sent()
	return c.hand(c.outbox.take(), msg)
}

// hand calls the transport's Write, unless the connection is over, for the
// messages and then for the last one, which may be nil; or its WriteAll, if it
// has one and there are several.
func (c *connection) hand(msgs [][]byte, last []byte) (err error) {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	err = errGoexit // unless Write returns
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing: %w", err)
			c.cancel(err)
		}
	}()
	defer c.server.guard(c.ctx, &err)
	if len(msgs) == 0 {
		if last == nil {
			return nil
		}
		return c.transport.Write(c.ctx, last)
	}
	if last != nil {
		msgs = append(msgs, last)
		defer func() { msgs[len(msgs)-1] = nil }() // it is not ours
	}
	if all, ok := c.transport.(AllWriter); ok && len(msgs) > 1 {
		return all.WriteAll(c.ctx, msgs)
	}
	for _, msg := range msgs {
		if c.ctx.Err() != nil { // while the one before was written
			return context.Cause(c.ctx)
		}
		if err := c.transport.Write(c.ctx, msg); err != nil {
			return err
		}
	}
	return nil
}
