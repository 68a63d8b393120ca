package prompts

import "time"

// workerRest is how often a worker looks whether it has had anything to do. If
// it has not, twice in a row, it ends.
const workerRest = time.Second

// start has a job run, on a goroutine that ends with the render function, whose
// context ends with the answer, the time limit or the connection; or with the
// subscription; or that rests then, until the connection ends at the latest.
func (c *connection) start(j job) {
	select {
	case c.waiting <- j:
	default:
		c.spawn(func() { c.work(j) })
	}
}

// work runs a job, and those that come while it rests: its stack has grown by
// then to what a job needs, and on a busy connection the growing would take as
// long as the jobs.
func (c *connection) work(j job) {
	limit := c.server.options.RenderTimeout
	_ = j.run(limit)
	rest := time.NewTicker(workerRest)
	defer rest.Stop()
	for isIdle := false; ; {
		select {
		case j := <-c.waiting:
			_ = j.run(limit)
			isIdle = false
		case <-rest.C:
			if isIdle {
				return
			}
			isIdle = true
		case <-c.ctx.Done():
			return
		}
	}
}
