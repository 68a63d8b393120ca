package bench_test

import "testing"

// BenchmarkGet renders a prompt with two arguments and one message, and one
// with three arguments that have constraints: all are required, one has an
// enum, one a pattern and a length, one is a number within bounds. Only prompts
// checks them; the others do as much as they can, which is nothing.
func BenchmarkGet(b *testing.B) {
	checked := setup{prompts: 1, page: pageSize, checked: true}
	for _, l := range boundaries {
		b.Run(l.name, func(b *testing.B) {
			s := l.start(b, usual)
			verifyGet(b, s.ask, usual)
			b.Run("2025-11-25/plain", func(b *testing.B) { measure(b, s.ask, getRequest(b, usual)) })
			b.Run("2026-07-28/plain", func(b *testing.B) { measure(b, s.ask, statelessGetRequest(b, usual)) })
			c := l.start(b, checked)
			verifyGet(b, c.ask, checked)
			b.Run("2025-11-25/constraints", func(b *testing.B) { measure(b, c.ask, getRequest(b, checked)) })
			b.Run("2026-07-28/constraints", func(b *testing.B) { measure(b, c.ask, statelessGetRequest(b, checked)) })
		})
	}
}
