package main

import "sync/atomic"

// cell counts the changes of one prompt, which one goroutine makes: when each
// begins, and when it is done. So a client can tell which of them a request may
// have seen.
type cell struct{ begun, done atomic.Int64 }

// change calls f with the number of the next change.
func (c *cell) change(f func(version int64)) {
	v := c.begun.Add(1)
	f(v)
	c.done.Store(v)
}

// span is the versions that a request may have seen.
type span struct{ first, last int64 }

// spanOf returns what a request has seen at least, if it begins after that.
func (c *cell) spanOf() span { return span{first: c.done.Load()} }

// end is for after the request's answer.
func (c *cell) end(s span) span {
	s.last = c.begun.Load()
	return s
}

// has reports whether a request may have seen a version.
func (s span) has(version int64) bool { return s.first <= version && version <= s.last }

// hasParity reports whether a request may have seen a version that is odd, or
// one that is even.
func (s span) hasParity(odd bool) bool {
	return s.last > s.first || (s.first%2 == 1) == odd
}
