package prompts

import (
	"context"
	"sync"
	"time"
)

// taskContext is the context of an author's function, as one of the standard
// library is, but only made for the first who looks at more of it than the
// caller: most functions do not, and for a short one its making would be the
// better part of the work. The zero value must be given its parent and caller
// before it is used, and must not be copied then.
type taskContext struct {
	parent context.Context
	caller *caller

	mu     sync.Mutex // protects the fields below
	made   context.Context
	end    context.CancelCauseFunc // of made
	cause  error                   // why it was cancelled
	isOver bool                    // it was
}

// cancel ends the context, unless that has been done.
func (c *taskContext) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isOver {
		return
	}
	c.isOver, c.cause = true, cause
	if c.made != nil {
		c.end(cause)
	}
}

// standard returns the context that the library makes.
func (c *taskContext) standard() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standardLocked()
}

func (c *taskContext) standardLocked() context.Context {
	switch {
	case c.made != nil:
	case c.isOver: // before the parent, if that is over too
		c.made, c.end = context.WithCancelCause(context.WithoutCancel(c.parent))
		c.end(c.cause)
	default:
		c.made, c.end = context.WithCancelCause(c.parent)
	}
	return c.made
}

func (c *taskContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

func (c *taskContext) Done() <-chan struct{} { return c.standard().Done() }

func (c *taskContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.made == nil && c.isOver:
		return context.Canceled
	case c.made == nil && c.parent.Err() == nil:
		return nil
	}
	return c.standardLocked().Err() // which stays what it is, also if it is the parent's
}

func (c *taskContext) Value(key any) any {
	if key == (callerKey{}) {
		return c.caller
	}
	return c.standard().Value(key)
}
