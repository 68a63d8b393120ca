package bench_test

import (
	"flag"
	"testing"
)

var (
	full  = flag.Bool("full", false, "measure all sizes, which takes about 20 minutes, and not only the small ones")
	quick = flag.Bool("quick", false, "measure the sizes up to 10,000")
)

// sizes returns those of all that are to be measured: without a flag those
// that take no time, so that every benchmark can be run whenever a change is
// checked.
func sizes(all ...int) []int {
	most := 100
	switch {
	case *full:
		return all
	case *quick:
		most = 10_000
	}
	var some []int
	for _, n := range all {
		if n <= most {
			some = append(some, n)
		}
	}
	return some
}

// growing are the sizes of which growth is made out.
func growing() []int { return sizes(10, 100, 1000, 10_000, 100_000, 1_000_000) }

// TestMain knows the flags before the benchmarks ask for them.
func TestMain(m *testing.M) {
	flag.Parse()
	m.Run()
}
