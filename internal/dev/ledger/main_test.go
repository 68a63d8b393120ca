package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every MUST and MUST NOT of this repository has a test.
func TestRepository(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	ok, err := run(os.DirFS("../../.."), &out, false)
	require.NoError(t, err)
	assert.True(t, ok, out.String())
}

// A requirement without a test and an error of the page or of a citation are
// found.
func TestRun(t *testing.T) {
	t.Parallel()
	const (
		header   = "| Id | Level | Rev. | Requirement | Source |\n|---|---|---|---|---|\n"
		one, two = "| ZZZ-01 | MUST | all | One. | page |\n", "| ZZZ-02 | MUST NOT‡ | all | `a \\| b` | page |\n"
		three    = "| ZZZ-03 | MAY† | all | Three. | page |\n"
		gaps     = "\n## GAP — gaps\n\n| Id | Question | Sources | Recommended |\n|---|---|---|---|\n| GAP-01 | Why? | This. | That. |\n"
		out      = "\n## Out of scope\n\n| Id | Reason |\n|---|---|\n| ZZZ-04…ZZZ-05 | It is. |\n"
		four     = "| ZZZ-04 | MUST | all | Four. | page |\n| ZZZ-05 | SHOULD | all | Five. | page |\n"
		session  = "mod/testdata/sessions/a.txt"
	)
	ledger := "## ZZZ — a group\n\n" + header + one + two + three + four + gaps + out
	const tests = "package a\n\n// ZZZ-01 to\n// ZZZ-03, GAP-01, UTF-16, ZZZ-011\nfunc TestA() {}\n"
	for name, test := range map[string]struct{ old, new, file, text, want string }{
		"nothing":                       {"", "", "", "", "MUST: 2 of 2 rows have a test\nSHOULD: 0 of 0 rows have a test\nMAY: 1 of 1 rows"},
		"a helper":                      {"", "", "a_test.go", "package a\n\nvar a = 1 // ZZZ-01…02\n", "ZZZ-03 MAY† Three. \nMAY: 0 of 1"},
		"a session":                     {"| ZZZ-04…ZZZ-05 |", "| ZZZ-05 |", session, "# ZZZ-04\n", "MUST: 3 of 3 rows have a test"},
		"a MUST NOT without a test":     {"", "", "a_test.go", "package a\n\n// ZZZ-01\nfunc TestA() {}\n", "ZZZ-02 has no test"},
		"a MUST in a benchmark only":    {"", "", "a_test.go", "package a\n\n// ZZZ-01\nfunc TestA() {}\n\n// ZZZ-02\nfunc BenchmarkA() {}\n", "ZZZ-02 has no test"},
		"a MUST in an example only":     {"", "", "a_test.go", "package a\n\n// ZZZ-01\nfunc TestA() {}\n\n// ZZZ-02\nfunc Example() {}\n", "ZZZ-02 has no test"},
		"a MUST in testdata only":       {"", "", "a_test.go", "package a\n", "ZZZ-01 has no test"},
		"an unknown row":                {"", "", "b/b_test.go", "package b\n\n// ZZZ-99\nfunc TestB() {}\n", "b/b_test.go:3: no row ZZZ-99"},
		"an unknown row in a benchmark": {"", "", "b_test.go", "package b\n\n// XXX-01\nfunc BenchmarkB() {}\n", "b_test.go:3: no row XXX-01"},
		"an unknown row in a session":   {"", "", session, "> ZZZ-98\n# ZZZ-99\n", session + ":2: no row ZZZ-99"},
		"a row out of scope":            {"", "", "b_test.go", "package b\n\n// ZZZ-03–05\nfunc TestB() {}\n", "b_test.go:3: ZZZ-04 is out of scope: It is."},
		"a range backwards":             {"", "", "b_test.go", "package b\n\n// ZZZ-03...01\nfunc TestB() {}\n", "b_test.go:3: ZZZ-03...01 is not a range"},
		"a range of two groups":         {"", "", "b_test.go", "package b\n\n// ZZZ-01 to GAP-03\nfunc TestB() {}\n", "is not a range"},
		"a citation at the head":        {"", "", "b_test.go", "// ZZZ-01\npackage b\n", "b_test.go:1: a citation outside of declarations"},
		"a citation at the end":         {"", "", "b_test.go", "package b\n\nfunc TestB() {}\n\n// ZZZ-01\n", "b_test.go:5: a citation outside of declarations"},
		"a row that is missing":         {two, "", "", "", `docs/ledger.md:6: "ZZZ-03" instead of ZZZ-02`},
		"a row twice":                   {two, two + two, "", "", `docs/ledger.md:7: "ZZZ-02" instead of ZZZ-03`},
		"a group twice":                 {gaps, gaps + gaps, "", "", `"GAP-01" instead of GAP-01, or a second one`},
		"a group without a dash":        {"ZZZ — a", "ZZZ, a", "", "", "docs/ledger.md:5: invalid row"},
		"a row with another id":         {"| ZZZ-02", "| ZZZ-2", "", "", `docs/ledger.md:6: invalid row: | ZZZ-2 |`},
		"no level":                      {"MUST NOT‡", "OUGHT", "", "", `docs/ledger.md:6: invalid row: | ZZZ-02 | OUGHT |`},
		"a mark that is none":           {"MUST NOT‡", "MUST NOT*", "", "", "docs/ledger.md:6: invalid row"},
		"a missing cell":                {"| MAY† | all", "| MAY†", "", "", "docs/ledger.md:7: invalid row"},
		"an unknown row out of scope":   {"…ZZZ-05", "…ZZZ-06", "", "", "no row ZZZ-06 to be out of scope"},
		"a row out of scope twice":      {out, out + "| ZZZ-05 | No. |\n", "", "", "ZZZ-05 is out of scope twice"},
		"out of scope without a reason": {"| It is. |", "|  |", "", "", "docs/ledger.md:21: invalid row"},
		"out of scope without an id":    {"| ZZZ-04…ZZZ-05 |", "| some |", "", "", "docs/ledger.md:21: invalid row"},
		"no rows":                       {ledger, "", "", "", "docs/ledger.md: no rows"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, test.old == "" || strings.Count(ledger, test.old) == 1)
			repository := fstest.MapFS{
				page:                       {Data: []byte(strings.Replace(ledger, test.old, test.new, 1))},
				"a_test.go":                {Data: []byte(tests)},
				"testdata/no_test.go":      {Data: []byte(tests)},
				"internal/dev/ledger/z.go": {Data: []byte("ZZZ-77")},
			}
			if test.file != "" {
				repository[test.file] = &fstest.MapFile{Data: []byte(test.text)}
			}
			var w strings.Builder
			ok, err := run(repository, &w, false)
			require.NoError(t, err)
			assert.Equal(t, name == "nothing" || name == "a helper" || name == "a session", ok, w.String())
			assert.Contains(t, w.String(), test.want)
		})
	}
	_, err := run(fstest.MapFS{}, &strings.Builder{}, false)
	require.ErrorContains(t, err, page)
	_, err = run(fstest.MapFS{page: {Data: []byte(ledger)}, "a_test.go": {Data: []byte("func")}}, &strings.Builder{}, false)
	require.Error(t, err)
}
