package bench_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkGrowth has servers of more and more prompts: get renders the one in
// the middle, list lists the page there, walk all pages, and add adds a prompt
// and lists a page. The cursors of a walk are those of the walk that verifies
// it, so that no time goes into reading them.
func BenchmarkGrowth(b *testing.B) {
	for _, l := range libraries {
		b.Run(l.name, func(b *testing.B) {
			for _, n := range growing() {
				b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { measureGrown(b, l, setup{prompts: n, page: pageSize}) })
			}
		})
	}
}

func measureGrown(b *testing.B, l library, o setup) {
	s := l.start(b, o)
	verifyGet(b, s.ask, o)
	verifyAdd(b, s, o)
	pages, inTime := verifyWalk(b, s.ask, o) // after which nothing is left of the change
	middle := pages[(len(pages)-1)/2]        // the last one of mcp-go may be empty
	b.Run("get", func(b *testing.B) { measure(b, s.ask, getRequest(b, o)) })
	b.Run("list", func(b *testing.B) { measure(b, s.ask, middle) })
	if inTime {
		b.Run("walk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, list := range pages {
					if err := s.ask(list, func([]byte) {}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
	b.Run("add", func(b *testing.B) { measureAdd(b, s, o, middle) })
}

// measureAdd adds prompts all over the list. From time to time, and not
// measured, they are removed, so that the list stays as long as it is.
func measureAdd(b *testing.B, s *subject, o setup, list []byte) {
	entries := make([]entry, min(max(o.prompts/10, 10), 1000))
	names := make([]string, len(entries))
	for i := range entries {
		entries[i] = entry{added(i * 7919 % o.prompts), promptDescription(i)}
		names[i] = entries[i].name
	}
	defer s.remove(names...)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == len(entries) {
			b.StopTimer()
			s.remove(names...)
			i = 0
			b.StartTimer()
		}
		err := s.add(entries[i])
		i++
		if err == nil {
			err = s.ask(list, func([]byte) {})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// added is the name of a prompt that comes after the one with the number.
func added(i int) string { return promptName(i) + "_added" }

// verifyAdd wants a prompt that is added in the first page at once.
func verifyAdd(tb testing.TB, s *subject, o setup) {
	tb.Helper()
	require.NoError(tb, s.add(entry{added(0), promptDescription(0)}))
	defer s.remove(added(0))
	names, _ := namesOf(tb, s.ask, listRequest(tb, ""))
	require.Equal(tb, []string{promptName(0), added(0)}, names[:2])
	require.Len(tb, names, min(o.prompts+1, o.page))
}
