package match

import (
	"fmt"
	"testing"
)

func BenchmarkMatch(b *testing.B) {
	areas := []string{"parser", "scanner", "registry", "session", "transport", "completion", "cursor", "schema"}
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("feature/%s-%05d", areas[i%len(areas)], i)
	}
	x := New(names)
	for _, typed := range []string{"", "featu", "curso", "ursor", "n", "zzzzz"} {
		b.Run("index/"+typed, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Match(typed, 100)
			}
		})
		b.Run("search/"+typed, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Search(names, typed)
			}
		})
	}
}
