package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is a ledger with its tests.
type report struct {
	ledger *ledger
	cited  map[id][]site // by tests and helpers, sorted; no site twice
	faults []string
}

func newReport(l *ledger, citations []citation, faults []string) *report {
	r := &report{ledger: l, cited: map[id][]site{}, faults: faults}
	for _, c := range citations {
		if _, ok := l.index[c.id]; !ok {
			r.faults = append(r.faults, fmt.Sprintf("%s: there is no row %v", c.where, c.id))
			continue
		}
		if reason, ok := l.outOfScope[c.id]; ok {
			r.faults = append(r.faults, fmt.Sprintf("%s: %v is out of scope: %s", c.where, c.id, reason))
			continue
		}
		if c.by.kind != notRun && !slices.Contains(r.cited[c.id], c.by) {
			r.cited[c.id] = append(r.cited[c.id], c.by)
		}
	}
	for _, sites := range r.cited {
		slices.SortFunc(sites, func(a, b site) int { return strings.Compare(a.name, b.name) })
	}
	return r
}

// levels are the lines of the totals. The first is the one that has to be
// complete.
var levels = []string{binding, "SHOULD, SHOULD NOT", "MAY", gapGroup}

const binding = "MUST, MUST NOT"

// total returns the line of the totals that a row is in. A mark is no matter.
func (r row) total() string {
	for _, level := range levels {
		if word, _, _ := strings.Cut(level, ","); strings.HasPrefix(r.level, word) {
			return level
		}
	}
	return r.level // which parseLedger has complained of
}

// inScope returns the rows in scope of one line of the totals.
func (r *report) inScope(level string) []row {
	return slices.DeleteFunc(slices.Clone(r.ledger.rows), func(row row) bool {
		_, out := r.ledger.outOfScope[row.id]
		return out || row.total() != level
	})
}

// missing returns those of the rows that have no test.
func (r *report) missing(rows []row) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(row row) bool { return len(r.cited[row.id]) > 0 })
}

// ok reports whether everything that must have a test has one, and nothing is
// wrong with the page and the citations.
func (r *report) ok() bool {
	return len(r.faults) == 0 && len(r.missing(r.inScope(binding))) == 0
}

// print writes the report: with verbose, all rows in scope with their tests,
// otherwise those that have none; then the totals and the faults.
func (r *report) print(w io.Writer, verbose bool) error {
	p := printer{w: w}
	if verbose {
		p.rows(r)
	} else {
		p.missing(r)
	}
	p.totals(r)
	p.faults(r)
	return p.err
}

// printer writes until something fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) rows(r *report) {
	for _, row := range r.ledger.rows {
		if _, out := r.ledger.outOfScope[row.id]; out {
			continue
		}
		p.printf("%v  %s  %s\n", row.id, row.level, shorten(row.text))
		for _, s := range r.cited[row.id] {
			p.printf("\t%v\n", s)
		}
		if len(r.cited[row.id]) == 0 {
			p.printf("\tno test\n")
		}
	}
	p.printf("\n")
}

func (p *printer) missing(r *report) {
	for _, level := range levels {
		rows := r.missing(r.inScope(level))
		if len(rows) == 0 {
			continue
		}
		p.printf("%s without a test:\n", level)
		for _, row := range rows {
			p.printf("\t%v  %s\n", row.id, shorten(row.text))
		}
		p.printf("\n")
	}
}

func (p *printer) totals(r *report) {
	if p.err != nil {
		return
	}
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tin scope\tcovered\tby helpers only\t\n")
	for _, level := range levels {
		rows := r.inScope(level)
		byHelpers := 0
		for _, row := range rows {
			sites := r.cited[row.id]
			if len(sites) > 0 && !slices.ContainsFunc(sites, func(s site) bool { return s.kind == isTest }) {
				byHelpers++
			}
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", level, len(rows), len(rows)-len(r.missing(rows)), byHelpers)
	}
	p.err = t.Flush()
	p.printf("%d rows, %d of them out of scope\n", len(r.ledger.rows), len(r.ledger.outOfScope))
}

func (p *printer) faults(r *report) {
	if n := len(r.missing(r.inScope(binding))); n > 0 {
		p.printf("\n%s without a test: %d\n", binding, n)
	}
	if len(r.faults) > 0 {
		p.printf("\nWrong:\n")
		for _, f := range r.faults {
			p.printf("\t%s\n", f)
		}
	}
}

// shorten returns the beginning of a row's text.
func shorten(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
