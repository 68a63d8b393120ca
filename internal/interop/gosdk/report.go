package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errNotConfigured is what a check returns that the configuration says nothing
// about.
var errNotConfigured = errors.New("not in config")

// errNotInRevision is what a check returns of something that the revision does
// not have.
var errNotInRevision = errors.New("not in this revision")

// report prints a line for each check, and counts.
type report struct {
	out    io.Writer
	driver string
	skip   []string
	counts map[string]int
}

func newReport(out io.Writer, driver string, skip []string) *report {
	return &report{out: out, driver: driver, skip: skip, counts: map[string]int{"PASS": 0, "FAIL": 0, "SKIP": 0}}
}

// maxDetail is how many bytes of a check's detail are printed.
const maxDetail = 300

// check runs a check, and reports false if it fails.
func (r *report) check(name string, f func() (detail string, err error)) bool {
	if slices.Contains(r.skip, name) {
		r.line("SKIP", name, "by --skip")
		return true
	}
	detail, err := f()
	switch {
	case errors.Is(err, errNotConfigured), errors.Is(err, errNotInRevision):
		r.line("SKIP", name, err.Error())
	case err != nil:
		r.line("FAIL", name, err.Error())
		return false
	default:
		r.line("PASS", name, detail)
	}
	return true
}

func (r *report) line(status, check, detail string) {
	r.counts[status]++
	detail = strings.Join(strings.Fields(detail), " ")
	line := strings.Join([]string{status, r.driver, check, detail[:min(len(detail), maxDetail)]}, " ")
	fmt.Fprintln(r.out, strings.TrimSpace(line))
}

// finish prints the summary and returns the exit status.
func (r *report) finish(target string) int {
	summary := map[string]any{"driver": r.driver, "target": target}
	for status, n := range r.counts {
		summary[status] = n
	}
	text, err := json.Marshal(summary)
	if err != nil {
		panic(err) // strings and numbers
	}
	fmt.Fprintf(r.out, "SUMMARY %s\n", text)
	if r.counts["FAIL"] > 0 {
		return 1
	}
	return 0
}
