package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
)

func newTest() *cobra.Command {
	var write writer[*testReport]
	run := &testRun{}
	cmd := &cobra.Command{
		Use:   "test DIR [PATTERN]",
		Short: "Run the cases in test files",
		Long: `Test runs the cases in the test files of a folder, *.test.yaml: it renders each
prompt with the arguments of a case, and compares the messages with what the case
expects. A PATTERN such as 'review/*' selects prompts by their names. Differences above
64 MiB together are left out.

The exit code is 1 if a case fails or a file has errors.

With --exec, each case with the key answer is given to a command as JSON on standard
input: {"name": …, "case": …, "messages": […]}. The command, run by sh -c (cmd /c on
Windows), writes the answer of a model on standard output. The program itself sends
nothing anywhere.`,
		Example: `  prompts test prompts
  prompts test --update prompts 'review/*'
  prompts test --format junit prompts >report.xml
  prompts test --exec 'python3 openai.py' prompts`,
		Args:              between(1, 2, "folder is missing"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if run.jobs < 1 {
				return usageErrorf("--jobs must be at least 1, got %d", run.jobs)
			}
			if err := run.check(); err != nil {
				return err
			}
			if err := openFound(cmd, args[:1]); err != nil {
				return err
			}
			pattern, err := patternOf(args[1:])
			if err != nil {
				return err
			}
			run.dir, run.pattern = args[0], pattern
			step, end := startProgress(cmd.ErrOrStderr(), "cases run")
			run.done = step
			report, err := run.all(cmd.Context())
			end()
			if err != nil {
				return err
			}
			return write(report, len(report.Findings) > 0)
		},
	}
	write = addFormat(cmd, testFormats)
	cmd.Flags().BoolVar(&run.update, "update", false, "write the golden files of cases with equals")
	cmd.Flags().BoolVar(&run.showCoverage, "coverage", false, "list what no case renders")
	run.add(cmd.Flags(), "command that gets each case with the key answer, and prints the answer of a model", time.Minute, "case")
	cmd.Flags().IntVar(&run.jobs, "jobs", runtime.GOMAXPROCS(0), "number of cases to run at the same time")
	cmd.Flags().Lookup("jobs").DefValue = "number of CPUs" // in the pages, which are the same on all machines
	cmd.Flags().Lookup("jobs").Annotations = map[string][]string{formOf: {"a number such as 4"}}
	return cmd
}

type testRun struct {
	dir, pattern string
	update       bool
	showCoverage bool
	modelCommand
	jobs int
	done func() // called after each case
	kept *budget
}

func (t *testRun) all(ctx context.Context) (*testReport, error) {
	start := time.Now()
	t.kept = newBudget(maxReportBytes)
	covered := new(coverage.Coverage)
	ctx = coverage.With(ctx, covered)
	suite, err := untilDone(ctx, func() (*testSuite, error) { return loadTests(ctx, t.dir), nil })
	if err != nil {
		return nil, err
	}
	r := &testReport{showCoverage: t.showCoverage, Results: []testOutcome{}, findings: findings{Findings: []finding{}, lines: newLineReader(t.dir).lines}}
	for _, e := range suite.errs {
		r.Findings = append(r.Findings, *e)
	}
	var selected []*cases.Case
	ofPrompts := map[string]bool{}
	for _, f := range suite.files {
		if isSelected(t.pattern, f.Prompt) {
			selected = append(selected, f.Cases...)
			ofPrompts[f.Prompt] = true
		}
	}
	switch {
	case len(selected) == 0 && t.pattern != "" && len(r.Findings) == 0:
		return nil, usageErrorf("no case is of a prompt that matches %q", t.pattern)
	case len(selected) == 0 && len(r.Findings) == 0:
		return nil, fmt.Errorf("folder %s has no test files; write NAME%s beside the file of a prompt", t.dir, cases.Extension)
	}
	results := t.runAll(ctx, suite, selected)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.keepGolden(results)
	for i := range results {
		results[i].finish(ctx, t, suite, r)
	}
	r.Cases, r.Prompts, r.results = len(results), len(ofPrompts), results
	r.Coverage = suite.coverage(covered, t, results)
	r.Seconds = time.Since(start).Seconds()
	slices.SortStableFunc(r.Findings, byPlace)
	return r, nil
}

func (t *testRun) runAll(ctx context.Context, suite *testSuite, selected []*cases.Case) []testResult {
	results := make([]testResult, len(selected))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(t.jobs, len(selected)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(selected) && ctx.Err() == nil; i = next.Add(1) - 1 {
				results[i] = t.one(ctx, suite, selected[i])
				t.done()
			}
		})
	}
	wg.Wait()
	return results
}

type testResult struct {
	c        *cases.Case
	failures []cases.Failure // their texts are as the report shows them
	found    []finding       // the failures, without the name of the case
	hasText  bool            // the prompt returned messages
	notAsked bool            // the case has a key answer, and there is no --exec
	time     time.Duration
}

func (t *testRun) one(ctx context.Context, suite *testSuite, c *cases.Case) testResult {
	start := time.Now()
	out := testResult{c: c}
	result, raw, failures := suite.renderer.runCase(ctx, suite.fsys, c)
	out.failures, out.hasText = failures, result != nil
	switch {
	case c.Model == nil || len(out.failures) > 0:
	case t.exec == "":
		out.notAsked = true
	default:
		answer, err := t.ask(ctx, c.File.Prompt, c.Name, raw)
		if err != nil {
			out.failures = append(out.failures, cases.Failure{Line: c.Line, Message: err.Error()})
		} else {
			out.failures = append(out.failures, c.CheckAnswer(answer)...)
		}
	}
	for i := range out.failures {
		t.cut(&out.failures[i])
	}
	out.time = time.Since(start)
	return out
}

type coverageReport struct {
	Total  int      `json:"total"` // branches, arguments, values, partials and prompts
	Missed []missed `json:"missed"`
}

type missed struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Kind    string `json:"kind"` // prompt, branch, argument, value or partial
	Message string `json:"message"`
}

func (m missed) String() string { return placeOf(m.Path, m.Line, 0) + ": not covered: " + m.Message }

// never says what does not happen in a branch that is not rendered, by its action, and by else or not.
var never = map[bool]map[string]string{
	false: {"if": "is never true", "with": "never has a value", "range": "never has an element"},
	true:  {"if": "is never false", "with": "is never empty", "range": "is never empty"},
}

// Cases that expect an error render nothing.
func (s *testSuite) coverage(blocks *coverage.Coverage, t *testRun, results []testResult) coverageReport {
	report := coverageReport{Missed: []missed{}}
	hasCases := map[string]bool{}     // by prompt
	given := map[[2]string][]string{} // values, by prompt and argument
	for _, r := range results {
		name := r.c.File.Prompt
		hasCases[name] = true
		for argument, value := range r.c.Arguments {
			if r.hasText {
				given[[2]string{name, argument}] = append(given[[2]string{name, argument}], value)
			}
		}
	}
	lines := newLineReader(s.dir).lines
	lineOf := newLineFinder(lines)
	for p := range s.registry.All() {
		if !isSelected(t.pattern, p.Name) {
			continue
		}
		report.count(hasCases[p.Name], missed{Path: p.Source, Prompt: p.Name, Kind: "prompt", Message: "no case is of prompt " + p.Name})
		if !hasCases[p.Name] {
			continue // everything else of it would be in the list, too
		}
		lineOfArgument := argumentLines(lines(p.Source))
		for _, a := range p.Arguments {
			values, line := given[[2]string{p.Name, a.Name}], lineOfArgument[a.Name]
			report.count(len(values) > 0, missed{p.Source, line, p.Name, "argument", fmt.Sprintf("no case gives argument %q", a.Name)})
			if len(values) == 0 {
				continue
			}
			seen := map[string]bool{} // values, and elements of lists
			for _, value := range values {
				seen[value] = true
				if typeOf(schema.Of(a.Schema)) != "array" {
					continue
				}
				for element := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
					seen[strings.Trim(strings.TrimSpace(element), `"`)] = true
				}
			}
			for _, value := range sample.Finite(schema.Of(a.Schema)) {
				report.count(seen[value], missed{p.Source, line, p.Name, "value", fmt.Sprintf("no case gives argument %q the value %q", a.Name, value)})
			}
		}
	}
	s.coverBlocks(&report, blocks, t, hasCases, lineOf)
	slices.SortStableFunc(report.Missed, func(a, b missed) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
	return report
}

func (r *coverageReport) count(isCovered bool, m missed) {
	if r.Total++; !isCovered {
		r.Missed = append(r.Missed, m)
	}
}

// coverBlocks counts the partials and the branches of templates.
func (s *testSuite) coverBlocks(report *coverageReport, blocks *coverage.Coverage, t *testRun, hasCases map[string]bool, lineOf func(path, text string, line int) int) {
	files := partialFiles(s.dir)
	isRendered := map[string]bool{} // partials
	for _, b := range blocks.Blocks() {
		if b.Action == "" {
			isRendered[b.Partial] = b.IsRendered
		}
	}
	for _, b := range blocks.Blocks() {
		switch {
		case b.Partial != "" && t.pattern != "":
			continue // of prompts that are not selected
		case b.Partial != "" && b.Action != "" && !isRendered[b.Partial]:
			continue // everything in it would be in the list, too
		case b.Partial != "":
			file := files[b.Partial]
			m := missed{Path: file, Kind: "partial", Message: fmt.Sprintf("no case renders partial %q", b.Partial)}
			if b.Action != "" {
				m.Kind, m.Line, m.Message = "branch", lineOf(file, b.Text, b.Line), b.Action+" "+neverOf(b)
			}
			report.count(b.IsRendered, m)
		case hasCases[b.Prompt]:
			if p, ok := s.registry.Lookup(b.Prompt); ok { // else another file has the name
				report.count(b.IsRendered, missed{p.Source, lineOf(p.Source, b.Text, b.Line), b.Prompt, "branch", b.Action + " " + neverOf(b)})
			}
		}
	}
}

func neverOf(b coverage.Block) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.Action, "{{"), " ")
	return never[b.IsElse][name]
}
