package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	m := readText(t, printed)
	text := document(m, circumstances{machine: m.machine, goes: "go1.99", count: m.count}, []profile{
		{"a path", []flat{{"f", "1s", "50%"}}, []flat{{"g", "1MB", "40%"}, {"h", "2MB", "30%"}}},
	})
	for _, want := range []string{
		"| machine | A Processor, ",
		"| Go | 1.99 |",
		"| 2 arguments, 1 text message, 2025-11-25 | 2.50 µs ± 4 % | 38 µs | – | 15 × |  | ≤ 2.5 µs | met |",
		"| — memory | 2.16 KB | 140 KB | – | 65 × |  | ≤ 2 KB | not met |",
		"1 of 3 that could be measured are met. The others:\n\n- prompts/get, 2 arguments, 1 text message, 2025-11-25 — memory: 2.16 KB, which is 1.1 × the bound of 2 KB\n",
		"| 1,000 | 10 µs | – | – | – | over 10 s | over 10 s |",
		"| exponent | 1.00 | – | – | – | – | – |\n| from 1,000 | – |",
		"![A walk of n prompts in pages of 100: time](benchmarks/walk-time.svg)",
		"| 1s | 50% | `f` | 1MB | 40% | `g` |\n|  | |  | 2MB | 30% | `h` |\n",
	} {
		assert.Contains(t, text, want)
	}
}

// TestCharts draws every chart that the document shows, of few measurements
// too.
func TestCharts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, drawCharts(readText(t, printed), folder))
	for _, o := range operations {
		for _, of := range o.measures {
			text, err := os.ReadFile(filepath.Join(folder, o.chart(of)))
			require.NoError(t, err)
			assert.Contains(t, string(text), "<svg")
		}
	}
}
