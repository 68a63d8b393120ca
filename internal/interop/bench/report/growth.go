package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/interop/bench"
)

// growth is the section with the charts, and a table for each of them.
func growth(m *measurements) string {
	var b strings.Builder
	for _, o := range operations {
		fmt.Fprintf(&b, "\n### %s\n\n", o.title)
		for _, of := range o.measures {
			fmt.Fprintf(&b, "![%s: %s](benchmarks/%s)\n", o.title, of.name, o.chart(of))
		}
		b.WriteString("\n| n |")
		for _, library := range o.libraries {
			for _, of := range o.measures {
				fmt.Fprintf(&b, " %s, %s |", library, of.name)
			}
		}
		b.WriteString("\n|---:|" + strings.Repeat("---:|", len(o.libraries)*len(o.measures)) + "\n")
		for _, size := range o.sizes(m) {
			fmt.Fprintf(&b, "| %s |", thousands(fmt.Sprint(size)))
			o.eachSeries(m, func(library string, of measure, points []point) {
				fmt.Fprintf(&b, " %s |", o.cell(m, library, of, points, size))
			})
			b.WriteString("\n")
		}
		o.exponents(&b, m, "exponent", 0)
		o.exponents(&b, m, "from 1,000", 1000)
	}
	return b.String()
}

// exponents is the line of those of the sizes from one on.
func (o operation) exponents(b *strings.Builder, m *measurements, title string, from float64) {
	fmt.Fprintf(b, "| %s |", title)
	o.eachSeries(m, func(_ string, _ measure, points []point) {
		points = slices.DeleteFunc(points, func(p point) bool { return p.size < from })
		if e, ok := exponent(points); ok {
			fmt.Fprintf(b, " %.2f |", e)
		} else {
			b.WriteString(" – |")
		}
	})
	b.WriteString("\n")
}

func (o operation) eachSeries(m *measurements, f func(library string, of measure, points []point)) {
	for _, library := range o.libraries {
		for _, of := range o.measures {
			f(library, of, o.series(m, library, of))
		}
	}
}

func (o operation) cell(m *measurements, library string, of measure, points []point, size int) string {
	for _, p := range points {
		if int(p.size) == size {
			return format(p.value, of.unit)
		}
	}
	return absent(m, key{o.work, library, fmt.Sprintf("n=%d/%s", size, o.name)})
}

// overLimit stands for what was not measured because it takes too long.
func overLimit() string { return fmt.Sprintf("over %.0f s", bench.Limit.Seconds()) }
