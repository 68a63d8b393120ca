package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// print prints all of the record but the samples, which are printed as they
// come.
func (r *record) print(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nrequest\tera\tnumber")
	var all int64
	kinds := slices.SortedFunc(maps.Keys(r.requests), func(a, b requestKind) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.era, b.era))
	})
	for _, k := range kinds {
		all += r.requests[k]
		fmt.Fprintf(t, "%s\t%s\t%d\n", k.method, k.era, r.requests[k])
	}
	fmt.Fprintf(t, "all\t\t%d\n", all)
	fmt.Fprintln(t, "\nanswer\tnumber")
	for _, kind := range slices.Sorted(maps.Keys(r.answers)) {
		fmt.Fprintf(t, "%s\t%d\n", kind, r.answers[kind])
	}
	fmt.Fprintln(t, "\nlatency\tnumber\tp50\tp90\tp99\tmax")
	for _, label := range slices.Sorted(maps.Keys(r.latencies)) {
		h := r.latencies[label]
		fmt.Fprintf(t, "%s\t%d", label, h.n)
		for _, d := range []time.Duration{h.quantile(0.5), h.quantile(0.9), h.quantile(0.99), h.longest} {
			fmt.Fprintf(t, "\t%v", d.Round(10*time.Microsecond))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintf(t, "\njudged by the specification: %d messages\n", r.judged)
	fmt.Fprintf(t, "faults: %d\n", r.wrongs)
	for _, text := range r.wrong {
		fmt.Fprintf(t, "  %s\n", text)
	}
	return t.Flush()
}
