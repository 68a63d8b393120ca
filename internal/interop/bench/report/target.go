package main

// target is what the design asks for.
type target struct {
	text  string
	bound func(m *measurements, r row) (float64, bool) // nil if nothing is asked for
}

// atMost is a bound that depends on nothing.
func atMost(bound float64, text string) target {
	return target{"≤ " + text, func(*measurements, row) (float64, bool) { return bound, true }}
}

// times is a multiple of what another library needs for the same.
func times(library string, factor float64, text string) target {
	return target{"≤ " + text, func(m *measurements, r row) (float64, bool) {
		other, ok := m.median(key{r.ours.work, library, r.ours.name}, r.unit)
		return other * factor, ok
	}}
}

// partOf is a part of what another library needs for the same.
func partOf(library string, divisor float64, text string) target {
	return times(library, 1/divisor, text)
}

// memory is twice the encoded list and the declarations.
func memory() target {
	return target{"≤ 2 × the entry and the declaration", func(m *measurements, r row) (float64, bool) {
		listed, ok := m.median(r.ours, "B-listed/prompt")
		declared, declaredToo := m.median(r.ours, "B-declared/prompt")
		return 2*listed + declared, ok && declaredToo
	}}
}

// value returns what a row shows of a library of ours.
func (r row) value(m *measurements) (float64, bool) {
	v, ok := m.median(r.ours, r.unit)
	if r.minus == "" || !ok {
		return v, ok
	}
	less, ok := m.median(key{r.ours.work, r.minus, r.ours.name}, r.unit)
	return v - less, ok
}

// verdict says whether a row meets its target: "met", "not met", or nothing if
// there is none, or no measurement.
func (r row) verdict(m *measurements) string {
	v, ok := r.value(m)
	if r.bound == nil || !ok {
		return ""
	}
	bound, ok := r.bound(m, r)
	switch {
	case !ok:
		return ""
	case v <= bound:
		return "met"
	default:
		return "not met"
	}
}
