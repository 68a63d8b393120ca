package prompttest

import (
	"errors"
	"time"
)

type effort struct {
	patience         time.Duration // limits the time
	calls, most      int
	time             time.Duration // without the first call, which may be slow because it is the first
	fastest, slowest time.Duration
	slow, verySlow   int    // calls that take slowMost, and that take slowOne
	slowestWith      string // the arguments of the slowest call
	isOver           bool   // the prompt is called no more
	failures         int    // with untame values
}

const (
	// patience limits the time of one prompt in a check, and completionPatience that of the
	// completions of one argument.
	patience           = 2 * time.Second
	completionPatience = time.Second
	// A prompt that uses up patience is slow if each call takes slowCall, half of the calls take
	// slowMost, or two take slowOne. Otherwise the machine is busy: a prompt that is not slow gets
	// busy times as much.
	slowCall = 10 * time.Millisecond
	slowMost = 30 * time.Millisecond
	slowOne  = 700 * time.Millisecond
	busy     = 10
	// mostCalls limits the calls of a prompt in a check, so that the check of a prompt that
	// takes a millisecond takes no second.
	mostCalls = 450
)

// errOver is why there is no result of a prompt that is called no more.
var errOver = errors.New("prompt is not checked further")

// add counts a call with these arguments. It reports whether the prompt is too slow to check,
// and whether the check has called the prompt often or long enough.
func (e *effort) add(d time.Duration, with func() string) (isSlow, isEnough bool) {
	if e.calls++; e.calls == 1 {
		e.fastest = d
		return false, false
	}
	e.time += d
	e.fastest = min(e.fastest, d)
	if d > e.slowest {
		e.slowest, e.slowestWith = d, with()
	}
	if d >= slowMost {
		e.slow++
	}
	if d >= slowOne {
		e.verySlow++
	}
	isSlow = e.time >= e.patience && (e.fastest >= slowCall || 2*e.slow >= e.calls-1 || e.verySlow > 1)
	isEnough = isSlow || e.calls >= e.most || e.time >= busy*e.patience
	e.isOver = e.isOver || isEnough
	return isSlow, isEnough
}

// runs says how often each further call runs the function, once for each round of questions.
func (e *effort) runs(n int) { e.most = min(e.most, e.calls+(mostCalls-e.calls)/n) }
