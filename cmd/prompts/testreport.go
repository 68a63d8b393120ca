package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-prompts/prompts/internal/cases"
)

type testReport struct {
	Cases    int           `json:"cases"`
	Prompts  int           `json:"prompts"`
	Passed   int           `json:"passed"`
	Failed   int           `json:"failed"`
	Written  []string      `json:"written,omitempty"` // golden files
	NotAsked int           `json:"notAsked,omitempty"`
	Seconds  float64       `json:"seconds"`
	Results  []testOutcome `json:"results"`
	findings
	Coverage coverageReport `json:"coverage"`

	results      []testResult
	golden       map[string]bool // files that --update leaves: a case has written them, or found them right
	showCoverage bool
}

type testOutcome struct {
	Prompt   string   `json:"prompt"`
	Case     string   `json:"case"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Seconds  float64  `json:"seconds"`
	Failures []string `json:"failures,omitempty"`
}

// keepGolden notes the golden files that a case has found right: --update leaves them.
func (r *testReport) keepGolden(results []testResult) {
	r.golden = map[string]bool{}
	for _, one := range results {
		differs := slices.ContainsFunc(one.failures, func(f cases.Failure) bool { return f.Golden != "" })
		if e := one.c.Expect.Equals; e != nil && one.hasText && !differs {
			r.golden[e.Value] = true
		}
	}
}

func (r *testResult) finish(ctx context.Context, t *testRun, suite *testSuite, report *testReport) {
	file := prefixOf(t.dir) + r.c.File.Path
	out := testOutcome{Prompt: r.c.File.Prompt, Case: r.c.Name, File: file, Line: r.c.Line, Seconds: r.time.Seconds()}
	mayWrite := t.update && len(suite.errs) == 0
	r.failures = slices.DeleteFunc(r.failures, func(f cases.Failure) bool {
		if f.Golden == "" || !mayWrite {
			return false
		}
		text, isRight := suite.golden(ctx, r.c) // again: another case may have written the file
		if isRight || text == "" || report.golden[f.Golden] {
			return isRight
		}
		if err := writeIn(t.dir, f.Golden, []byte(text), f.IsMissing); err != nil {
			report.Findings = append(report.Findings, finding{Path: file, Line: f.Line, Level: levelError, Rule: "case", Prompt: out.Prompt, Message: fmt.Sprintf("cannot write %s: %v", f.Golden, err)})
			return false
		}
		report.golden[f.Golden] = true
		report.Written = append(report.Written, prefixOf(t.dir)+f.Golden)
		return true
	})
	for _, f := range r.failures {
		one := finding{Path: file, Line: f.Line, Level: levelError, Rule: "test", Prompt: out.Prompt, Message: fmt.Sprintf("case %q: %s", r.c.Name, f.Message), Diff: f.Text}
		switch {
		case mayWrite && report.golden[f.Golden]:
			one.Hint = "another case has this file with other messages; give each case a file of its own"
		case mayWrite: // another failure, or the file cannot be written
		case f.Golden != "" && t.update:
			one.Hint = "fix the errors of the files first; no golden file was written"
		case f.Golden != "":
			one.Hint = "if the messages are right, run: " + shellQuoted("prompts", "test", "--update", t.dir)
		}
		report.Findings = append(report.Findings, one)
		one.Message = f.Message
		r.found = append(r.found, one)
		out.Failures = append(out.Failures, f.Message)
	}
	if r.notAsked {
		report.NotAsked++
	}
	if len(r.failures) == 0 {
		report.Passed++
	} else {
		report.Failed++
	}
	report.Results = append(report.Results, out)
}

func (s *testSuite) golden(ctx context.Context, c *cases.Case) (text string, isRight bool) {
	result, _, failures := s.renderer.runCase(ctx, s.fsys, c)
	for _, f := range failures {
		if f.Golden != "" {
			return f.Text, false
		}
	}
	return "", result != nil
}

// cut leaves of the texts of a failure what the report shows, within the budget of the run.
func (t *testRun) cut(f *cases.Failure) {
	f.Text, f.Want = diffOf(f), ""
	if f.Text != "" && !t.kept.take(len(f.Text)) {
		f.Text = "  " + leftOut + "\n"
	}
}

func diffOf(f *cases.Failure) string {
	switch {
	case f.IsMissing, f.Text == "":
		return ""
	case f.Golden != "":
		return udiff.Unified(path.Base(f.Golden), "messages", f.Want, f.Text)
	}
	lines := strings.SplitN(strings.TrimRight(f.Text, "\n"), "\n", maxFoundLines+1)
	rest := ""
	if len(lines) > maxFoundLines {
		n := 1 + strings.Count(lines[maxFoundLines], "\n")
		lines, rest = lines[:maxFoundLines], fmt.Sprintf("  … %s more\n", plural(n, "line"))
	}
	for i, line := range lines {
		lines[i] = shortened(line)
	}
	return "  " + strings.Join(lines, "\n  ") + "\n" + rest
}

const (
	maxFoundLines = 12 // that are shown of a text that is not as expected
	maxDiffs      = 10 // failures that are shown with what was found
)

var testFormats = map[string]func(io.Writer, *testReport) error{
	"text":   writeTestText,
	"junit":  writeTestJUnit,
	"github": func(w io.Writer, r *testReport) error { return r.writeGitHub(w) },
}

func writeTestText(w io.Writer, r *testReport) error {
	shown := 0
	for i := range r.Findings {
		if r.Findings[i].Diff != "" {
			if shown++; shown > maxDiffs {
				r.Findings[i].Diff = ""
			}
		}
	}
	if err := r.writeText(w); err != nil {
		return err
	}
	for _, file := range r.Written {
		fmt.Fprintf(w, "%s: written\n", printable(file))
	}
	if r.showCoverage {
		for _, m := range r.Coverage.Missed {
			fmt.Fprintln(w, printable(m.String()))
		}
	}
	fmt.Fprintf(w, "%s of %s: %d passed, %d failed\n", plural(r.Cases, "case"), plural(r.Prompts, "prompt"), r.Passed, r.Failed)
	if r.NotAsked > 0 {
		fmt.Fprintf(w, "%s not checked; give a command for the model with --exec\n", plural(r.NotAsked, "answer"))
	}
	missed := len(r.Coverage.Missed)
	line := fmt.Sprintf("coverage: %d of %d", r.Coverage.Total-missed, r.Coverage.Total)
	if missed > 0 && !r.showCoverage {
		line += "; to list the rest, use --coverage"
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

func writeTestJUnit(w io.Writer, r *testReport) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class    string    `xml:"classname,attr"`
		Name     string    `xml:"name,attr"`
		File     string    `xml:"file,attr"`
		Line     int       `xml:"line,attr,omitempty"`
		Time     string    `xml:"time,attr"`
		Failures []failure `xml:"failure"`
		Errors   []failure `xml:"error"`
	}
	type testsuite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	seconds := func(s float64) string { return fmt.Sprintf("%.3f", s) }
	suite := testsuite{Name: "prompts", Tests: r.Cases, Failures: r.Failed, Time: seconds(r.Seconds)}
	for i, out := range r.Results {
		one := testcase{Class: out.Prompt, Name: out.Case, File: out.File, Line: out.Line, Time: seconds(out.Seconds)}
		for _, f := range r.results[i].failures {
			one.Failures = append(one.Failures, failure{f.Message, f.Text})
		}
		suite.Cases = append(suite.Cases, one)
	}
	for _, f := range r.Findings {
		if f.Rule != "test" { // an error of a file
			suite.Tests, suite.Errors = suite.Tests+1, suite.Errors+1
			suite.Cases = append(suite.Cases, testcase{Class: "files", Name: f.Path, File: f.Path, Line: f.Line, Time: seconds(0), Errors: []failure{{withHint(f.Message, f.Hint), ""}}})
		}
	}
	raw, err := xml.MarshalIndent(struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suites  []testsuite `xml:"testsuite"`
	}{Suites: []testsuite{suite}}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, raw)
	}
	return err
}
