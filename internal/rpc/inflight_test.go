package rpc

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// contextPair is a lazyContext and one of the standard library, of the same
// parent.
type contextPair struct {
	endParent context.CancelCauseFunc
	own       *lazyContext
	other     context.Context
	endOther  context.CancelCauseFunc
}

type pairKey struct{}

func newContextPair(t *testing.T) *contextPair {
	parent := context.WithValue(t.Context(), pairKey{}, "a value")
	parent, cancel := context.WithTimeout(parent, time.Hour)
	t.Cleanup(cancel)
	parent, end := context.WithCancelCause(parent)
	p := &contextPair{endParent: end, own: &lazyContext{parent: parent, request: &Running{}}}
	p.other, p.endOther = context.WithCancelCause(parent)
	t.Cleanup(func() { p.endOther(nil) })
	return p
}

func (p *contextPair) same(t *testing.T, when string) {
	t.Helper()
	assert.Equal(t, p.other.Err(), p.own.Err(), when)
	assert.Equal(t, context.Cause(p.other), context.Cause(p.own), when)
	select {
	case <-p.own.Done():
		assert.Error(t, p.own.Err(), when)
	default:
		assert.NoError(t, p.own.Err(), when)
	}
	assert.Equal(t, "a value", p.own.Value(pairKey{}), when)
	assert.Same(t, p.own.request, FromContext(p.own), when)
	at, ok := p.own.Deadline()
	want, _ := p.other.Deadline()
	assert.True(t, ok)
	assert.Equal(t, want, at, when)
}

var (
	errOther  = errors.New("another cause")
	errParent = errors.New("the parent has ended")
)

// Whatever happens to it, and whether anybody has looked at it before, it is
// what a context of the standard library is.
func TestLazyContext(t *testing.T) {
	t.Parallel()
	events := map[string]func(p *contextPair){
		"parent ends": func(p *contextPair) { p.endParent(errParent) },
		"own ends":    func(p *contextPair) { p.own.cancel(errOther); p.endOther(errOther) },
		"own ends without a cause": func(p *contextPair) {
			p.own.cancel(nil)
			p.endOther(nil)
		},
		"deadline": func(*contextPair) { time.Sleep(2 * time.Hour) },
	}
	looks := map[string]func(p *contextPair){
		"nobody": func(*contextPair) {},
		"Err":    func(p *contextPair) { _ = p.own.Err() },
		"Done":   func(p *contextPair) { _ = p.own.Done() },
		"Value":  func(p *contextPair) { _ = p.own.Value(pairKey{}) },
	}
	for first, one := range events {
		for second, other := range events {
			for name, look := range looks {
				for _, between := range []bool{false, true} {
					synctest.Test(t, func(t *testing.T) {
						p := newContextPair(t)
						look(p)
						one(p)
						synctest.Wait()
						if between {
							p.same(t, name+" looked, then "+first)
						}
						other(p)
						synctest.Wait()
						if between || first == second || first == "own ends" || first == "own ends without a cause" {
							p.same(t, name+" looked, then "+first+", then "+second)
						} else {
							// Nobody has seen which was first.
							assert.Error(t, p.own.Err())
						}
					})
				}
			}
		}
	}
}

// Those that come from it end with it, with its cause.
func TestLazyContextHasChildren(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newContextPair(t)
		child, cancel := context.WithCancel(p.own)
		defer cancel()
		called := false
		defer context.AfterFunc(p.own, func() { called = true })()
		p.own.cancel(errOther)
		<-child.Done()
		synctest.Wait()
		assert.True(t, called)
		assert.Equal(t, errOther, context.Cause(child))
		late, cancel := context.WithCancel(p.own)
		defer cancel()
		assert.Equal(t, context.Canceled, late.Err())
	})
}

// Any number of goroutines may look at it while it ends.
func TestLazyContextIsShared(t *testing.T) {
	t.Parallel()
	for range 100 {
		p := newContextPair(t)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				switch i % 4 {
				case 0:
					p.own.cancel(errOther)
				case 1:
					<-p.own.Done()
				case 2:
					if err := p.own.Err(); err != nil {
						assert.Equal(t, err, p.own.Err())
					}
				default:
					p.endParent(errParent)
				}
			})
		}
		all.Wait()
		assert.Error(t, p.own.Err())
	}
}

// A function that does not look at its context costs none.
// The test is not parallel, because it counts what all of the process allocates.
func TestLazyContextIsNotMadeForNobody(t *testing.T) {
	ctx := context.Background()
	c := &lazyContext{parent: ctx, request: &Running{}}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		_ = FromContext(c)
		_ = c.Err()
		c.cancel(errOther)
	}))
	assert.Nil(t, c.made)
}
