package prompts

import "sync/atomic"

// quota counts what may be there at most a number of times.
type quota struct{ n atomic.Int64 }

// enter counts one in, unless there are most already. If it reports true,
// leave must follow.
func (b *quota) enter(most int) bool {
	if b.n.Add(1) <= int64(most) {
		return true
	}
	b.n.Add(-1)
	return false
}

func (b *quota) leave() { b.n.Add(-1) }
