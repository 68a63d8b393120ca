package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = zzz +
	"| ZZZ-01 | MUST | all | One. | page |\n" +
	"| ZZZ-02 | MUST NOT‡ | all | Two. | page |\n" +
	"| ZZZ-03 | SHOULD | all | Three. | page |\n" +
	"| ZZZ-04 | MAY† | all | Four. | page |\n" +
	"| ZZZ-05 | MUST† | all | Five. | page |\n\n" +
	gap + "| GAP-01 | Why? | Who knows. | Because. |\n\n" +
	out + "| ZZZ-05 | That is how it is. |\n"

// reportOn runs the command over the page and one test file.
func reportOn(t *testing.T, page, src string, verbose bool) (string, bool) {
	t.Helper()
	var w strings.Builder
	ok, err := run(files(map[string]string{pageName: page, "a_test.go": "package a\n" + src}), &w, verbose)
	require.NoError(t, err)
	return w.String(), ok
}

func TestReport(t *testing.T) {
	t.Parallel()
	got, ok := reportOn(t, page, "// ZZZ-01, ZZZ-03\nfunc TestA() {}\n\n// ZZZ-02\nfunc check() {}\n", false)
	assert.True(t, ok)
	assert.Equal(t, `MAY without a test:
	ZZZ-04  Four.

GAP without a test:
	GAP-01  Why?

                      in scope  covered  by helpers only
      MUST, MUST NOT         2        2                1
  SHOULD, SHOULD NOT         1        1                0
                 MAY         1        0                0
                 GAP         1        0                0
6 rows, 1 of them out of scope
`, got)
}

// Every row in scope, and what cites it, once each and in order.
func TestVerboseReport(t *testing.T) {
	t.Parallel()
	got, ok := reportOn(t, page, "// ZZZ-01, ZZZ-02\nfunc TestB() {}\n\n// ZZZ-01 to ZZZ-03, ZZZ-01\nfunc TestA() {}\n\nvar c = 1 // ZZZ-03\n\n// ZZZ-04\nfunc BenchmarkD() {}\n", true)
	assert.True(t, ok)
	rows, _, _ := strings.Cut(got, "\n\n")
	assert.Equal(t, `ZZZ-01  MUST  One.
	a_test.go:TestA
	a_test.go:TestB
ZZZ-02  MUST NOT‡  Two.
	a_test.go:TestA
	a_test.go:TestB
ZZZ-03  SHOULD  Three.
	a_test.go:TestA
	a_test.go:c (helper)
ZZZ-04  MAY†  Four.
	no test
GAP-01  GAP  Why?
	no test`, rows)
}

func TestWhatFails(t *testing.T) {
	t.Parallel()
	const enough = "// ZZZ-01, ZZZ-02\nfunc TestA() {}\n"
	for name, test := range map[string]struct {
		page, src, want string
	}{
		"a MUST without a test":        {page, "// ZZZ-02\nfunc TestA() {}\n", "\nMUST, MUST NOT without a test: 1\n"},
		"a MUST NOT with a mark":       {page, "// ZZZ-01\nfunc TestA() {}\n", "MUST, MUST NOT without a test:\n\tZZZ-02  Two.\n"},
		"a MUST in a benchmark only":   {page, "// ZZZ-01\nfunc TestA() {}\n// ZZZ-02\nfunc BenchmarkA() {}\n", "ZZZ-02  Two."},
		"no tests at all":              {page, "", "\nMUST, MUST NOT without a test: 2\n"},
		"an unknown row":               {page, enough + "// ZZZ-99\nfunc TestB() {}\n", "Wrong:\n\ta_test.go:4: there is no row ZZZ-99\n"},
		"an unknown group":             {page, enough + "// XXX-01\nfunc TestB() {}\n", "a_test.go:4: there is no row XXX-01\n"},
		"an unknown row, not run":      {page, enough + "// ZZZ-99\nfunc BenchmarkB() {}\n", "a_test.go:4: there is no row ZZZ-99\n"},
		"a row out of scope":           {page, enough + "// ZZZ-05\nfunc TestB() {}\n", "a_test.go:4: ZZZ-05 is out of scope: That is how it is.\n"},
		"a range with one of those":    {page, "// ZZZ-01…05\nfunc TestB() {}\n", "a_test.go:2: ZZZ-05 is out of scope: That is how it is.\n"},
		"a range that is none":         {page, enough + "// ZZZ-03…01\nfunc TestB() {}\n", "a_test.go:4: ZZZ-03 to ZZZ-01 is no range\n"},
		"a fault of the page":          {page + "| ZZZ-05 | Again. |\n", enough, pageName + ":22: ZZZ-05 is out of scope twice\n"},
		"a page without rows":          {"# Nothing\n", "", "the page has no rows"},
		"a level that cannot be known": {page + "\n" + yyy + "| YYY-01 | WILL | all | One. | page |\n", enough, `YYY-01 has the level "WILL"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := reportOn(t, test.page, test.src, false)
			assert.False(t, ok)
			assert.Contains(t, got, test.want)
			assert.Contains(t, got, "in scope", "the totals come all the same")
		})
	}
}

// A row without a test is no failure unless it binds.
func TestWhatDoesNotFail(t *testing.T) {
	t.Parallel()
	_, ok := reportOn(t, page, "// ZZZ-01, ZZZ-02\nfunc TestA() {}\n", false)
	assert.True(t, ok)
}

func TestNoReport(t *testing.T) {
	t.Parallel()
	_, err := run(files(nil), io.Discard, false)
	assert.ErrorContains(t, err, pageName)
	_, err = run(files(map[string]string{pageName: page, "a_test.go": "func"}), io.Discard, false)
	assert.Error(t, err)
	_, err = run(files(map[string]string{pageName: page}), brokenWriter{}, false)
	assert.ErrorIs(t, err, errBroken)
	_, err = run(files(map[string]string{pageName: page}), brokenWriter{}, true)
	assert.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestShorten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	assert.Equal(t, long, shorten(long))
	assert.Equal(t, strings.Repeat("é", 99)+"…", shorten(long+"é"))
}
