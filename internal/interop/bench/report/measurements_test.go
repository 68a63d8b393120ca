package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const printed = `goos: linux
cpu: A Processor
BenchmarkGet/prompts/2025-11-25/plain-2   	   10000	      2400 ns/op	      2160 B/op	      14 allocs/op
BenchmarkGet/prompts/2025-11-25/plain-2   	   10000	      2600 ns/op	      2160 B/op	      14 allocs/op
BenchmarkGet/prompts/2025-11-25/plain-2   	   10000	      2500 ns/op	      2160 B/op	      14 allocs/op
BenchmarkGet/go-sdk/2025-11-25/plain-2    	   10000	     38000 ns/op	    140000 B/op	      60 allocs/op
BenchmarkGrowth/prompts/n=10/walk-2       	   10000	       100 ns/op
BenchmarkGrowth/prompts/n=1000/walk-2     	   10000	     10000 ns/op
BenchmarkGrowth/mcp-go/n=10/walk-2        	   10000	       100 ns/op
BenchmarkFill/prompts/n=10/memory-2       	   10000	       250.5 B-declared/prompt	       204 B-listed/prompt	      600 B/prompt
BenchmarkFill/prompts/n=1000/memory-2     	   10000	       250.5 B-declared/prompt	       204 B-listed/prompt	      660 B/prompt
BenchmarkChange/prompts/n=0/tell-2        	   10000	      100 ns/op	      80 cpu-ns/op
BenchmarkChange/prompts/n=10/tell-2       	   10000	      200 ns/op	      90 cpu-ns/op
PASS
ok  	example.org/bench	12.3s
`

func readText(t *testing.T, text string) *measurements {
	t.Helper()
	m, err := read(strings.NewReader(text))
	require.NoError(t, err)
	return m
}

func TestRead(t *testing.T) {
	t.Parallel()
	m := readText(t, printed)
	assert.Equal(t, "A Processor", m.machine)
	assert.Equal(t, 3, m.count)
	for _, test := range []struct {
		key  key
		unit string
		want float64
	}{
		{key{"Get", "prompts", "2025-11-25/plain"}, "ns/op", 2500},
		{key{"Get", "prompts", "2025-11-25/plain"}, "B/op", 2160},
		{key{"Get", "prompts", "2025-11-25/plain"}, "allocs/op", 14},
		{key{"Get", "go-sdk", "2025-11-25/plain"}, "ns/op", 38000},
		{key{"Fill", "prompts", "n=10/memory"}, "B-declared/prompt", 250.5},
		{key{"Change", "prompts", "n=0/tell"}, "cpu-ns/op", 80},
	} {
		got, ok := m.median(test.key, test.unit)
		assert.True(t, ok, "%v", test.key)
		assert.InDelta(t, test.want, got, 1e-6, "%v %s", test.key, test.unit)
	}
	_, ok := m.median(key{"Get", "mcp-go", "2025-11-25/plain"}, "ns/op")
	assert.False(t, ok)
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	line := "BenchmarkGet/prompts/a-2 10 5 ns/op\n"
	for name, text := range map[string]string{
		"a benchmark that has failed": line + "--- FAIL: BenchmarkGet/go-sdk\nFAIL\n",
		"one of two that has failed":  line + "PASS\nok  \ta\t1s\nFAIL\tb\n",
		"cut off":                     line,
		"no library":                  "BenchmarkGet-2 10 5 ns/op\nPASS\n",
		"nothing":                     "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(strings.NewReader(text))
			assert.Error(t, err)
		})
	}
}

func TestTooSlow(t *testing.T) {
	t.Parallel()
	m := readText(t, printed)
	for name, test := range map[string]struct {
		key  key
		want bool
	}{
		"another library was measured at the size": {key{"Growth", "mcp-go", "n=1000/walk"}, true},
		"it is measured":                      {key{"Growth", "mcp-go", "n=10/walk"}, false},
		"no library was measured at the size": {key{"Growth", "mcp-go", "n=100000/walk"}, false},
		"the library was measured at no size": {key{"Growth", "go-sdk", "n=1000/walk"}, false},
		"not of a size":                       {key{"Get", "mcp-go", "2025-11-25/plain"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, m.tooSlow(test.key))
		})
	}
}

func TestSeries(t *testing.T) {
	t.Parallel()
	m := readText(t, printed)
	byFile := map[string]operation{}
	for _, o := range operations {
		byFile[o.file] = o
	}
	walk, held, tell := byFile["walk"], byFile["held"], byFile["tell"]
	assert.Equal(t, []point{{10, 100}, {1000, 10000}}, walk.series(m, "prompts", walk.measures[0]))
	assert.Equal(t, []int{10, 1000}, walk.sizes(m))
	assert.Equal(t, []point{{10, 6000}, {1000, 660_000}}, held.series(m, "prompts", held.measures[0]), "of all prompts")
	assert.Equal(t, []point{{10, 90}}, tell.series(m, "prompts", tell.measures[0]), "size 0 has no place on a logarithmic axis")
	assert.Empty(t, walk.series(m, "go-sdk", walk.measures[0]))
}
