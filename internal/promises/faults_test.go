package promises

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a repository whose pages are right.
var small = map[string]string{
	"docs/limits.md": `# Limits

| What is bounded | Option | Default | When it is reached | Tests |
|---|---|---|---|---|
| Size | ` + "`Options.MaxBytes`" + ` | 4 MiB | -32600 | ` + "`TestSize`, `http.TestSize`" + ` |
| Time | ` + "`Options.Timeout`" + ` | 30 seconds; negative: none | -32603 | ` + "`FuzzTime`" + ` |
| Rate | ` + "`Options.Rate.Gets`" + ` | 50 requests | -32603 | ` + "`TestRate`" + ` |
| Results | ` + "`Cache.MaxResults`" + ` | 1,000 | no more | ` + "`TestSize`" + ` |
| Streams | ` + "`http.Options.Streams`" + ` | a quarter | 503 | ` + "`deep/inner.TestInner`" + ` |
| Depth | fixed, ` + "`maxDepth`" + ` | 128 | -32600 | ` + "`TestSize`" + ` |
| Room | fixed, ` + "`http.room`" + ` | 200 ms | 503 | ` + "`TestSize`" + ` |
| Words | fixed | eight | cut | ` + "`TestSize`" + ` |
`,
	"SECURITY.md": `# Security

| who | sends |
|---|---|
| a client | anything |

| Promise | Tests |
|---|---|
| It goes on | ` + "`TestSize`, `http.TestSize`" + ` |
`,
	"options.go": `package p

import "time"

type Options struct {
	Name string
	// MaxBytes is the size. Default:
	// 4 MiB. It is in bytes.
	MaxBytes int
	// Timeout is the time. Default: 30 seconds; negative: none.
	Timeout time.Duration
	Rate    Rate
	hidden  int
	Call    func(int)
}

type Rate struct {
	// Gets are prompts. Default: 50.
	Gets float64
}

type Cache struct {
	// MaxResults is how many. Default: 1,000. More are not.
	MaxResults int
}

const (
	defaultMaxBytes = 4 << 20
	defaultTimeout  = 30 * time.Second
	defaultGets     = 50
	maxDepth        = 128
	other           = 3
	notNumber       = "x"
)
`,
	"http/options.go": `package http

import "time"

type Options struct {
	// Streams are open. Default: a quarter.
	Streams int
}

const room = (2 * hundred) * time.Millisecond
const hundred = 100
`,
	"internal/x/x.go":            "package x\n\nconst maxOfNobody = 1\n",
	"internal/a/http/http.go":    "package http\n\nconst room = 1\n",
	"examples/x/x.go":            "package x\n\nconst maxOfNobody = 1\n\ntype Options struct{ N int }\n",
	"p_test.go":                  "package p\n\nfunc TestSize() {}\nfunc FuzzTime() {}\nfunc TestRate() {}\nfunc Testify() {}\nfunc TestMain() {}\nfunc (T) TestMethod() {}\nfunc Test() {}\n",
	"http/h_test.go":             "package http\n\nfunc TestSize() {}\nfunc TestOther() {}\n",
	"very/deep/inner/in_test.go": "package inner\n\nfunc TestInner() {}\n",
	"testdata/x_test.go":         "package testdata\n\nfunc TestNotRun() {}\n",
}

// Each way in which a page can be wrong is found.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	const limits, security, options = "docs/limits.md", "SECURITY.md", "options.go"
	for name, test := range map[string]struct {
		file, old, replacement string
		want                   []string
	}{
		"nothing": {limits, "# Limits", "# Limits", nil},
		"a limit without a test": {limits, "| -32603 | `TestRate` |", "| -32603 | see above |",
			[]string{"docs/limits.md:7: no test is named"}},
		"a promise without a test": {security, "`TestSize`, `http.TestSize`", "the tests",
			[]string{"SECURITY.md:9: no test is named"}},
		"an empty cell": {security, "`TestSize`, `http.TestSize`", "",
			[]string{"SECURITY.md:9: cell 2 is empty", "SECURITY.md:9: no test is named"}},
		"a test that there is not": {limits, "`TestRate`", "`TestRates`",
			[]string{"docs/limits.md:7: there is no test TestRates"}},
		"a fuzz target that there is not": {limits, "`FuzzTime`", "`FuzzTimes`",
			[]string{"docs/limits.md:6: there is no test FuzzTimes"}},
		"a promise with a test that there is not": {security, "`http.TestSize`", "`http.TestSizes`",
			[]string{"SECURITY.md:9: there is no test http.TestSizes"}},
		"a test of another package": {security, "`TestSize`", "`TestOther`",
			[]string{"SECURITY.md:9: there is no test TestOther"}},
		"a package whose name ends so": {limits, "`deep/inner.TestInner`", "`ner.TestInner`",
			[]string{"docs/limits.md:9: there is no test ner.TestInner"}},
		"a test in testdata": {limits, "`TestRate`", "`testdata.TestNotRun`",
			[]string{"docs/limits.md:7: there is no test testdata.TestNotRun"}},
		"a method": {limits, "`TestRate`", "`TestMethod`",
			[]string{"docs/limits.md:7: there is no test TestMethod"}},
		"TestMain": {limits, "`TestRate`", "`TestMain`",
			[]string{"docs/limits.md:7: there is no test TestMain"}},
		"what is no test": {limits, "`TestRate`", "`Testify`",
			[]string{`docs/limits.md:7: "Testify" is not the name of a test`}},
		"a test beside the tables": {security, "# Security", "# `TestNone`",
			[]string{"SECURITY.md:1: there is no test TestNone"}},
		"an option that the table lacks": {options, "hidden  int", "Hidden  int",
			[]string{"docs/limits.md:1: there is no row for Options.Hidden"}},
		"an option in a struct of an option": {options, "Gets float64", "Gets, Lists float64",
			[]string{"docs/limits.md:1: there is no row for Options.Rate.Lists"}},
		"an option of another package": {"http/options.go", "Streams int", "Streams, More int",
			[]string{"docs/limits.md:1: there is no row for http.Options.More"}},
		"a time that the table lacks": {"http/options.go", "Streams int", "Streams int\n\tWait time.Duration",
			[]string{"docs/limits.md:1: there is no row for http.Options.Wait"}},
		"an option of a cache": {options, "MaxResults int", "MaxResults, More int",
			[]string{"docs/limits.md:1: there is no row for Cache.More"}},
		"a constant that the table lacks": {options, "other ", "maxOther ",
			[]string{"docs/limits.md:1: there is no row for maxOther"}},
		"an option that there is not": {limits, "`Options.Timeout`", "`Options.Time`",
			[]string{"docs/limits.md:6: there is no option or constant Options.Time", "docs/limits.md:1: there is no row for Options.Timeout"}},
		"neither an option nor fixed": {limits, "| fixed | eight", "| some | eight",
			[]string{`docs/limits.md:12: "some" is neither an option nor fixed`}},
		"a row that is there twice": {limits, "fixed, `http.room` | 200 ms", "fixed, `maxDepth` | 128",
			[]string{"docs/limits.md:11: maxDepth is here for a second time"}},
		"another default than its comment's": {limits, "a quarter", "a third",
			[]string{`docs/limits.md:9: the default of http.Options.Streams is "a quarter" where it is declared, and "a third" here`}},
		"a default that begins alike": {limits, "| 50 requests", "| 500",
			[]string{`docs/limits.md:7: the default of Options.Rate.Gets is "50" where it is declared, and "500" here`, `docs/limits.md:7: Options.Rate.Gets is 50 in the code, and "500" here`}},
		"a comment that says another default": {options, "// 4 MiB", "// 8 MiB",
			[]string{`docs/limits.md:5: the default of Options.MaxBytes is "8 MiB" where it is declared, and "4 MiB" here`}},
		"another default in the code": {options, "4 << 20", "8 << 20",
			[]string{`docs/limits.md:5: Options.MaxBytes is 8.388608e+06 in the code, and "4 MiB" here`}},
		"another time in the code": {options, "30 * time.Second", "30 * time.Minute",
			[]string{`docs/limits.md:6: Options.Timeout is 1.8e+12 in the code, and "30 seconds; negative: none" here`}},
		"another constant": {options, "= 128", "= 129",
			[]string{`docs/limits.md:10: maxDepth is 129 in the code, and "128" here`}},
		"a constant made of others": {"http/options.go", "hundred = 100", "hundred = 50",
			[]string{`docs/limits.md:11: http.room is 1e+08 in the code, and "200 ms" here`}},
		"no number": {limits, "| 128 |", "| many |",
			[]string{`docs/limits.md:10: maxDepth is 128 in the code, and "many" here`}},
		"a row with too few cells": {limits, "| fixed | eight", "| fixed eight",
			[]string{"docs/limits.md:12: 4 cells instead of 5"}},
		"no ruler": {security, "|---|---|\n| It", "| a | b |\n| It",
			[]string{"SECURITY.md:8: there has to be a ruler below the table's head"}},
		"no promises": {security, "| Promise | Tests |", "| Promises | Tests |",
			[]string{"SECURITY.md:1: there is no table | Promise | Tests |"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{}
			for file, text := range small {
				if file == test.file {
					require.Equal(t, 1, strings.Count(text, test.old), test.old)
					text = strings.Replace(text, test.old, test.replacement, 1)
				}
				fsys[file] = &fstest.MapFile{Data: []byte(text)}
			}
			faults, err := Check(fsys)
			require.NoError(t, err)
			assert.Equal(t, test.want, faults)
		})
	}
}

// What cannot be read is an error.
func TestCheckReads(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"docs/limits.md", "SECURITY.md", "broken"} {
		fsys := fstest.MapFS{"broken_test.go": {Data: []byte("package p")}}
		for name, text := range small {
			if name != file {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		if file == "broken" {
			fsys["broken_test.go"].Data = []byte("func")
		}
		_, err := Check(fsys)
		assert.Error(t, err, file)
	}
}
