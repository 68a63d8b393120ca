// Report runs the benchmarks of package bench and writes docs/benchmarks.md,
// with its charts, from what they print:
//
//	go run ./bench/report
//
// in the folder of the module internal/interop. It wants an otherwise idle
// machine for about 20 minutes; -quick takes the sizes up to 10,000 and a few
// minutes. What the benchmarks have printed is kept in the file that -raw
// names, and -from writes the report of such a file again.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// options are the flags.
type options struct {
	quick     bool
	count     int
	benchTime time.Duration
	raw, from string
	out       string
	profiles  bool
	note      string
}

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "measure the sizes up to 10,000 alone")
	flag.IntVar(&o.count, "count", 5, "measure everything so many times")
	flag.DurationVar(&o.benchTime, "benchtime", 300*time.Millisecond, "measure for so long at a time")
	flag.StringVar(&o.raw, "raw", filepath.Join(os.TempDir(), "prompts-bench.txt"), "keep what the benchmarks print in this `file`")
	flag.StringVar(&o.from, "from", "", "run no benchmarks, but read what they have printed from this `file`")
	flag.StringVar(&o.out, "out", filepath.Join("..", "..", "docs"), "write benchmarks.md and benchmarks/*.svg to this `folder`")
	flag.BoolVar(&o.profiles, "profiles", true, "take profiles too")
	flag.StringVar(&o.note, "note", "", "say this about the circumstances of the measurements")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.from == "" {
		if err := runBenchmarks(o); err != nil {
			return err
		}
		o.from = o.raw
	}
	m, err := readFile(o.from)
	if err != nil {
		return err
	}
	of, err := describe(m, o)
	if err != nil {
		return err
	}
	var profiles []profile
	if o.profiles {
		if profiles, err = takeProfiles(); err != nil {
			return err
		}
	}
	charts := filepath.Join(o.out, "benchmarks")
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	if err := drawCharts(m, charts); err != nil {
		return err
	}
	text := document(m, of, profiles)
	if err := os.WriteFile(filepath.Join(o.out, "benchmarks.md"), []byte(text), 0o644); err != nil {
		return err
	}
	_, err = fmt.Print(comparison(m))
	return err
}
