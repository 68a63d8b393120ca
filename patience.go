package prompts

import "time"

// Limits of a patience.
const (
	// mostPatience is how long a reader waits for slow tasks, in all.
	mostPatience = 50 * time.Millisecond
	// leastPatience is what it takes to wait at all. Tasks that end within it
	// are short, and waiting for them costs nothing.
	leastPatience = time.Millisecond
	// patienceGrowth is how many times longer it takes to regain patience
	// than to lose it.
	patienceGrowth = 20
)

// patience is how long the reader of a connection may wait for room for
// another task. Many short tasks can arrive faster than they can be started,
// and are not to be refused for that; but a ping or a cancellation behind
// them is not to wait for long ones. So the waiting is bounded in all, and the
// bound grows again slowly. It is for one goroutine.
type patience struct {
	left  time.Duration
	asked time.Time // when left was reckoned
}

func newPatience() *patience { return &patience{left: mostPatience, asked: time.Now()} }

// allowance returns how long the reader may wait now; 0 for not at all.
func (p *patience) allowance() time.Duration {
	now := time.Now()
	p.left = min(mostPatience, p.left+now.Sub(p.asked)/patienceGrowth)
	p.asked = now
	if p.left < leastPatience {
		return 0
	}
	return p.left
}

// spend notes that the reader has waited since it asked for its allowance,
// and whether that was in vain.
func (p *patience) spend(inVain bool) {
	now := time.Now()
	waited := now.Sub(p.asked)
	p.asked = now
	switch {
	case inVain:
		p.left = 0
	case waited > leastPatience:
		p.left = max(leastPatience, p.left-waited)
	}
}
