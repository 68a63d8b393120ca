package bench_test

import (
	"fmt"
	"testing"
)

// BenchmarkList lists the page in the middle of 10,000 prompts.
func BenchmarkList(b *testing.B) {
	for _, l := range libraries {
		b.Run(l.name, func(b *testing.B) {
			for _, page := range []int{10, 100, 1000} {
				o := setup{prompts: promptCount, page: page}
				s := l.start(b, o)
				list := verifyList(b, s.ask, o)
				b.Run(fmt.Sprintf("page=%d", page), func(b *testing.B) { measure(b, s.ask, list) })
			}
		})
	}
}
