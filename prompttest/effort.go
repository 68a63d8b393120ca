package prompttest

import (
	"errors"
	"time"
)

// effort is what the calls of a prompt, or of the completions of an argument, have cost in a check.
type effort struct {
	patience         time.Duration // limits the time
	calls, most      int
	time             time.Duration // without the first call, which may be slow because it is the first
	fastest, slowest time.Duration
	slowestWith      string // the arguments of the slowest call
	isOver           bool   // the prompt is called no more
	failures         int    // with untame values
}

const (
	// patience limits the time of one prompt in a check, and completionPatience that of the
	// completions of one argument.
	patience           = 2 * time.Second
	completionPatience = time.Second
	// A prompt that uses up patience is reported as slow if each call takes slowCall, the
	// calls take slowMean on average, or one takes slowest. Otherwise the machine is busy.
	slowCall = 10 * time.Millisecond
	slowMean = 30 * time.Millisecond
	slowest  = 700 * time.Millisecond
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
	isEnough = e.calls >= e.most || e.time >= e.patience
	isSlow = e.time >= e.patience && (e.fastest >= slowCall || e.time/time.Duration(e.calls-1) >= slowMean || e.slowest >= slowest)
	e.isOver = e.isOver || isEnough
	return isSlow, isEnough
}

// runs says how often each further call runs the function, once for each round of questions.
func (e *effort) runs(n int) { e.most = min(e.most, e.calls+(mostCalls-e.calls)/n) }
