package prompttest

import (
	"errors"
	"time"
)

// effort is what the calls of a prompt have cost in a check.
type effort struct {
	calls            int
	time             time.Duration
	fastest, slowest time.Duration
	isOver           bool // the prompt is called no more
	failures         int  // with untame values
}

const (
	// patience limits the time of one prompt in a check, if each call takes slowCall: a busy
	// machine is no slow prompt.
	patience = 2 * time.Second
	slowCall = 100 * time.Millisecond
	slowMean = 300 * time.Millisecond // if only some calls are slow
	// mostCalls limits the calls of a prompt in a check, so that the check of a prompt that
	// takes a millisecond takes no second.
	mostCalls = 900
)

// errOver is why there is no result of a prompt that is called no more.
var errOver = errors.New("prompt is not checked further")

// add counts a call. It reports whether the prompt is too slow to check, and whether the
// check has called the prompt often enough.
func (e *effort) add(d time.Duration) (isSlow, isEnough bool) {
	if e.calls++; e.calls == 1 || d < e.fastest {
		e.fastest = d
	}
	e.time += d
	e.slowest = max(e.slowest, d)
	// One call may be slow because it is the first.
	others := (e.time - e.slowest) / time.Duration(max(e.calls-1, 1))
	isSlow = e.time >= patience && e.calls > 1 && (e.fastest >= slowCall || others >= slowMean)
	isEnough = e.calls == mostCalls
	e.isOver = e.isOver || isSlow || isEnough
	return isSlow, isEnough
}
