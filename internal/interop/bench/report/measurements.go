package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// key is what was measured, of whose: Benchmark<work>/<library>/<name>.
type key struct{ work, library, name string }

// measurements are the values of each key, by unit, as they were printed.
type measurements struct {
	values  map[key]map[string][]float64
	machine string // the processor's name
	count   int    // how many times everything was measured, at most
}

func readFile(name string) (*measurements, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f)
}

// read reads what benchmarks have printed. It fails if that says that one of
// them has failed, or has no end.
func read(r io.Reader) (*measurements, error) {
	m := &measurements{values: map[key]map[string][]float64{}}
	var text strings.Builder
	in := benchfmt.NewReader(io.TeeReader(r, &text), "benchmarks")
	for in.Scan() {
		result, ok := in.Result().(*benchfmt.Result)
		if !ok {
			continue // a line about something else, or one that is cut in two
		}
		if cpu := result.GetConfig("cpu"); cpu != "" {
			m.machine = cpu
		}
		k, ok := parseName(string(result.Name))
		if !ok {
			return nil, fmt.Errorf("a benchmark is named %q, not work/library/case", result.Name)
		}
		if m.values[k] == nil {
			m.values[k] = map[string][]float64{}
		}
		for _, v := range result.Values {
			if v.OrigUnit != "" {
				v.Value, v.Unit = v.OrigValue, v.OrigUnit
			}
			m.values[k][v.Unit] = append(m.values[k][v.Unit], v.Value)
			m.count = max(m.count, len(m.values[k][v.Unit]))
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if !passed.MatchString(text.String()) || failed.MatchString(text.String()) {
		return nil, fmt.Errorf("the benchmarks have not passed")
	}
	return m, nil
}

var (
	passed = regexp.MustCompile(`(?m)^(PASS|ok\s.*)$`)
	failed = regexp.MustCompile(`(?m)^(FAIL|--- FAIL).*$`)
	// processors is what go test appends to a name.
	processors = regexp.MustCompile(`-\d+$`)
)

func parseName(name string) (key, bool) {
	parts := strings.SplitN(processors.ReplaceAllString(name, ""), "/", 3)
	if len(parts) < 3 {
		return key{}, false
	}
	return key{parts[0], parts[1], parts[2]}, true
}

// median returns that of a key, and whether it was measured.
func (m *measurements) median(k key, unit string) (float64, bool) {
	all := m.values[k][unit]
	return median(all), len(all) > 0
}

// tooSlow reports whether a library was not measured because one operation
// takes too long: others were, and the library itself was at another size.
func (m *measurements) tooSlow(k key) bool {
	sized := regexp.MustCompile(`^n=\d+`)
	if m.values[k] != nil || !sized.MatchString(k.name) {
		return false
	}
	others, itself := false, false
	for have := range m.values {
		if have.work != k.work {
			continue
		}
		others = others || have.name == k.name
		itself = itself || have.library == k.library && sized.ReplaceAllString(have.name, "") == sized.ReplaceAllString(k.name, "")
	}
	return others && itself
}
