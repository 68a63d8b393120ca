package rpc

import (
	"time"
)

// This file uses the goroutines of a connection again: with a new goroutine for each job, whose
// stack has to grow, a get over stdio costs 62 % more processor time with 64 in flight, and 32 %
// more with 1.

// workerIdle is how often a worker looks whether it has had a job. After two
// times without one it ends.
const workerIdle = time.Second

// submit runs a job on the goroutine of an idle worker, or on a new one. The number of
// workers has no limit of its own: the limits of requests and subscriptions bound the jobs.
func (c *connection) submit(j job) {
	select {
	// The channel has no buffer: a job goes to a worker only if that worker is idle now.
	case c.jobs <- j:
	default:
		c.spawn(func() { c.work(j) })
	}
}

// work runs a job, and those that come while it is idle. By then its stack is as large as a
// job needs; growing it takes as long as a short job. A panic in a job ends the worker, and
// spawn recovers it. The next job then gets a new worker.
func (c *connection) work(j job) {
	_ = j.run()
	idle := time.NewTicker(workerIdle)
	defer idle.Stop()
	// A worker whose stack has grown is worth keeping for the next burst, but not for an idle
	// connection: a server may have many.
	for isIdle := false; ; {
		select {
		case j := <-c.jobs:
			_ = j.run()
			isIdle = false
		case <-idle.C:
			// Two ticks, and not a timer that each job would have to reset.
			if isIdle {
				return
			}
			isIdle = true
		case <-c.ctx.Done():
			return
		}
	}
}
