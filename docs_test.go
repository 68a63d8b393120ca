package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// docs/limits.md, SECURITY.md and docs/fleet.md say what the code does: every limit
// of the code has a row, every default is that of the code, and every test exists.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, problem := range checkDocs(t, os.DirFS(".")) {
		assert.Fail(t, problem)
	}
}

// docLimit is an option with a number or a duration, or a constant.
type docLimit struct {
	isOption  bool
	byDefault string         // what the option's comment says
	value     constant.Value // nil if the default is not a constant
	isListed  bool           // in docs/limits.md
}

var (
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(\w+ \*testing\.[TF]\)`)
	testName   = regexp.MustCompile("`((?:[a-z0-9/]+\\.)?(?:Test|Fuzz)[A-Z]\\w*)`")
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	defaultIs  = regexp.MustCompile(`\bDefault: (.*?)\.(?: |$)`)
	place      = regexp.MustCompile(`\b([\w-]+/)*[\w-]+\.(go|md|txt)\b|(\.ci|\bexamples|\binternal|\bmount|\btestdata)(/\w+)+`)
	identifier = regexp.MustCompile("`(?:\\w+\\.)?(\\w+)`")
	quantity   = regexp.MustCompile(`^([0-9][0-9,]*)(?: (KiB|MiB|GiB|ms|seconds?|minutes?)\b)?`)
	notLibrary = regexp.MustCompile(`^(cmd|examples|internal/(interop|prose|soak|speccheck))(/|$)`)
	units      = map[string]int64{
		"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "ms": int64(time.Millisecond),
		"second": int64(time.Second), "seconds": int64(time.Second), "minute": int64(time.Minute), "minutes": int64(time.Minute),
	}
)

// checkDocs returns all errors of the pages of the repository.
func checkDocs(t *testing.T, repository fs.FS) (problems []string) {
	tests, limits := readCode(t, repository)
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, page := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		checkPlaces(t, repository, page, report)
	}
	for page, columns := range map[string]int{"docs/limits.md": 5, "SECURITY.md": 2, "docs/fleet.md": 2} {
		text, err := fs.ReadFile(repository, page)
		require.NoError(t, err)
		for _, name := range testName.FindAllStringSubmatch(string(text), -1) {
			if !slices.ContainsFunc(tests, func(test string) bool {
				return strings.HasSuffix(test, "/"+name[1]) || strings.HasSuffix(test, "."+name[1])
			}) {
				report("%s: no test %s", page, name[1])
			}
		}
		isTable := false
		for row := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(row), "|")
			switch {
			case len(cells) < 3:
				isTable = false
			case strings.HasSuffix(row, "| Tests |\n"):
				isTable = true
			case !isTable || strings.HasPrefix(row, "|---"):
			case len(cells) != columns+2:
				report("%s: %d cells instead of %d: %s", page, len(cells)-2, columns, row)
			default:
				if !testName.MatchString(cells[columns]) {
					report("%s: no test in %s", page, row)
				}
				if columns == 5 {
					checkLimit(limits, cells, report)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		l := limits[name]
		isLimit := l.isOption || regexp.MustCompile(`(^|\.)[mM]ax[A-Z]\w*$`).MatchString(name)
		if isLimit && !l.isListed {
			report("docs/limits.md: no row for %s", name)
		}
		if l.isOption && l.byDefault == "" {
			report(`%s: its comment has no "Default: …."`, name)
		}
		if l.isOption && l.value == nil && quantity.MatchString(l.byDefault) && l.byDefault[0] != '0' {
			report("%s: no constant default%s", name, name[strings.LastIndex(name, ".")+1:])
		}
	}
	return problems
}

// checkPlaces checks that the files and folders that a page names exist, and that
// the names in the last cell of a row are declared in one of the row's files.
func checkPlaces(t *testing.T, repository fs.FS, page string, report func(string, ...any)) {
	text, err := fs.ReadFile(repository, page)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var code []byte
		for _, name := range place.FindAllString(line, -1) {
			if _, err := fs.Stat(repository, name); err != nil {
				report("%s: no file %s", page, name)
			} else if path.Ext(name) == ".go" {
				src, _ := fs.ReadFile(repository, name)
				code = append(code, src...)
			}
		}
		cells := strings.Split(line, "|")
		if code == nil || len(cells) < 3 {
			continue
		}
		for _, name := range identifier.FindAllStringSubmatch(cells[len(cells)-2], -1) {
			declaration := `(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + name[1] + `\b`
			if !regexp.MustCompile(declaration).Match(code) {
				report("%s: no %s in the files of %s", page, name[1], line)
			}
		}
	}
}

// checkLimit checks the option or the constant and the default of a row.
func checkLimit(limits map[string]*docLimit, cells []string, report func(string, ...any)) {
	names, byDefault := codeSpan.FindAllStringSubmatch(cells[2], -1), strings.TrimSpace(cells[3])
	if len(names) == 0 && strings.TrimSpace(cells[2]) != "fixed" {
		report("docs/limits.md: neither an option nor fixed: %s", cells[2])
	}
	for _, name := range names {
		l := limits[name[1]]
		if l == nil {
			report("docs/limits.md: no option or constant %s", name[1])
			continue
		}
		l.isListed = true
		if rest, ok := strings.CutPrefix(byDefault, l.byDefault); !ok || l.isOption && rest != "" && rest[0] != ' ' {
			report("docs/limits.md: %s is %q there and %q in its comment", name[1], byDefault, l.byDefault)
		}
		if l.value == nil {
			continue
		}
		said := int64(-1)
		if m := quantity.FindStringSubmatch(byDefault); m != nil {
			n, _ := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
			said = n * units[m[2]]
		}
		if !constant.Compare(l.value, token.EQL, constant.MakeInt64(said)) {
			report("docs/limits.md: %s is %q there and %v in the code", name[1], byDefault, l.value)
		}
	}
}

// readCode returns the names of all tests, each after its folder, and the limits
// of the library by their names in docs/limits.md.
func readCode(t *testing.T, repository fs.FS) (tests []string, limits map[string]*docLimit) {
	fset, packages, comments := token.NewFileSet(), map[string][]*ast.File{}, map[token.Pos]string{}
	require.NoError(t, fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (name != "." && name[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || err != nil {
			return err
		}
		src, err := fs.ReadFile(repository, name)
		folder := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range testFunc.FindAllSubmatch(src, -1) {
				tests = append(tests, "/"+folder+"."+string(m[1]))
			}
		} else if !notLibrary.MatchString(folder) && err == nil {
			var file *ast.File
			file, err = parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
			ast.Inspect(file, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok {
					for _, name := range field.Names {
						comments[name.Pos()] = strings.Join(strings.Fields(field.Doc.Text()), " ")
					}
				}
				return true
			})
			packages[folder] = append(packages[folder], file)
		}
		return err
	}))
	limits = map[string]*docLimit{}
	// Only constants and structs matter, so errors do not, nor any import but time and math.
	config := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}, Importer: fewImports{importer.Default()}}
	for folder, files := range packages {
		prefix := ""
		if folder != "." {
			prefix = path.Base(folder) + "."
		}
		pkg, _ := config.Check(folder, fset, files, nil)
		for _, name := range pkg.Scope().Names() {
			switch o := pkg.Scope().Lookup(name).(type) {
			case *types.Const:
				if constant.ToInt(o.Val()).Kind() == constant.Int {
					limits[prefix+name] = &docLimit{value: o.Val()}
				}
			case *types.TypeName:
				if o.Exported() && (strings.HasSuffix(name, "Options") || name == "Cache") && !strings.HasPrefix(folder, "internal/") {
					addOptions(limits, comments, prefix+name, o.Type())
				}
			}
		}
	}
	return tests, limits
}

// addOptions adds the numbers and durations of a struct and of those within it.
func addOptions(limits map[string]*docLimit, comments map[token.Pos]string, prefix string, typ types.Type) {
	s, _ := typ.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		field := s.Field(i)
		switch u := field.Type().Underlying().(type) {
		case *types.Struct:
			if field.Exported() {
				addOptions(limits, comments, prefix+"."+field.Name(), field.Type())
			}
		case *types.Basic:
			if !field.Exported() || u.Info()&types.IsNumeric == 0 {
				continue
			}
			l := &docLimit{isOption: true}
			if m := defaultIs.FindStringSubmatch(comments[field.Pos()]); m != nil {
				l.byDefault = m[1]
			}
			for _, name := range []string{"default" + field.Name(), "default" + strings.TrimPrefix(field.Name(), "Max")} {
				if c, ok := field.Pkg().Scope().Lookup(name).(*types.Const); ok {
					l.value = c.Val()
				}
			}
			limits[prefix+"."+field.Name()] = l
		}
	}
}

type fewImports struct{ types.Importer }

func (i fewImports) Import(path string) (*types.Package, error) {
	if path != "time" && path != "math" {
		return nil, fs.ErrNotExist
	}
	return i.Importer.Import(path)
}

// What is wrong in the code or on a page is found.
func TestDocsFinds(t *testing.T) {
	t.Parallel()
	const limits, architecture, code = "docs/limits.md", "docs/architecture.md", "a.go"
	files := map[string]string{
		limits: "# Limits\n\n| What | Option | Default | Then | Tests |\n|---|---|---|---|---|\n" +
			"| Size | `Options.Limits.MaxBytes` | 4 MiB | -32600 | `TestSize`, `h.TestOther` |\n" +
			"| Time | `h.Options.Timeout` | 30 seconds; negative: none | 503 | `FuzzTime` |\n" +
			"| Depth | fixed, `maxDepth` | 128 levels | -32600 | `TestSize` |\n" +
			"| Words | fixed | eight | they are cut | `TestSize` |\n",
		"docs/fleet.md": "# Fleet\n\n| Claim | Tests |\n|---|---|\n| It converges | `h.TestOther` |\n",
		"SECURITY.md":   "# Security\n\n| Promise | Tests |\n|---|---|\n| It continues | `h.TestOther` |\n",
		code: "package a\n\nimport _ \"fmt\"\n\ntype Options struct {\n\tName string\n\tLimits Limits\n}\n\n" +
			"type Limits struct {\n\t// MaxBytes is the size. Default:\n\t// 4 MiB. It is in bytes.\n\tMaxBytes int\n\thidden int\n}\n\n" +
			"const (\n\tdefaultBytes = 4 << 20\n\tmaxDepth = 128\n\tother = 1.5\n)\n",
		"x/h/h.go":      "package h\n\nimport \"time\"\n\ntype Options struct {\n\t// Timeout. Default: 30 seconds; negative: none.\n\tTimeout time.Duration\n}\n\nconst defaultTimeout = half * 2\nconst half = 15 * time.Second\n",
		"examples/x.go": "package x\n\nconst maxExample = 1\n",
		"a_test.go":     "package a\n\nfunc TestSize(t *testing.T) {}\nfunc FuzzTime(f *testing.F) {}\nfunc (T) TestMethod(t *testing.T) {}\n",
		"x/h/h_test.go": "package h\n\nfunc TestOther(t *testing.T) {}\n",
		architecture: "# Architecture\n\nPackages are in `internal/a`, see [CONTRIBUTING.md](../CONTRIBUTING.md).\n\n" +
			"| Step | File | Name |\n|---|---|---|\n| Read `more` | `x/h/h.go`, `a.go` | `Options`, `Limits.MaxBytes`, `half` |\n",
		"CONTRIBUTING.md":    "# Contributing\n\nRun `.ci/run`, see `a.go`.\n",
		"internal/a/a.go":    "package a\n",
		".ci/run":            "",
		"testdata/b_test.go": "package b\n\nfunc TestNotRun(t *testing.T) {}\n",
	}
	for name, test := range map[string]struct{ file, old, new, want string }{
		"nothing":                      {limits, "# Limits", "# Limits", ""},
		"a limit without a test":       {limits, "`FuzzTime`", "see above", "limits.md: no test in | Time"},
		"a promise without a test":     {"SECURITY.md", "`h.TestOther`", "", "SECURITY.md: no test in | It"},
		"an unknown test of a claim":   {"docs/fleet.md", "`h.TestOther`", "`h.TestNone`", "docs/fleet.md: no test h.TestNone"},
		"an unknown test":              {limits, "`TestSize`, ", "`TestSizes`, ", "limits.md: no test TestSizes"},
		"an unknown test in a promise": {"SECURITY.md", "`h.TestOther`", "`h.TestSize`", "SECURITY.md: no test h.TestSize"},
		"the end of a package's name":  {limits, "`h.TestOther`", "`hh.TestOther`", "no test hh.TestOther"},
		"an unknown test in the text":  {"SECURITY.md", "# Security", "`TestNone`", "no test TestNone"},
		"a method":                     {limits, "`FuzzTime`", "`TestMethod`", "no test TestMethod"},
		"a test in testdata":           {limits, "`FuzzTime`", "`TestNotRun`", "no test TestNotRun"},
		"a missing cell":               {limits, "| fixed | eight", "| fixed eight", "4 cells instead of 5"},
		"neither an option nor fixed":  {limits, "| fixed | eight", "| some | eight", "neither an option nor fixed"},
		"an unknown option":            {limits, "`h.Options.Timeout`", "`h.Options.Time`", "no option or constant h.Options.Time"},
		"an option without a row":      {"x/h/h.go", "\tTimeout", "\tWait, Timeout", "no row for h.Options.Wait"},
		"a nested one without a row":   {code, "hidden", "Hidden", "no row for Options.Limits.Hidden"},
		"a constant without a row":     {code, "other = 1.5", "maxOther = 1", "no row for maxOther"},
		"an option without a default":  {code, "Default:", "It is", `Options.Limits.MaxBytes: its comment has no "Default: …."`},
		"another default on the page":  {limits, "4 MiB", "5 MiB", "Options.Limits.MaxBytes is \"5 MiB\" there and \"4 MiB\" in its comment"},
		"one that begins alike":        {limits, "30 seconds; negative: none", "30 seconds; negative: nones", "h.Options.Timeout is"},
		"another default in a comment": {code, "// 4 MiB", "// 8 MiB", "\"4 MiB\" there and \"8 MiB\" in its comment"},
		"another default in the code":  {code, "4 << 20", "8 << 20", "Options.Limits.MaxBytes is \"4 MiB\" there and 8388608 in the code"},
		"another time in the code":     {"x/h/h.go", "15 *", "16 *", "h.Options.Timeout is \"30 seconds; negative: none\" there and 32000000000 in the code"},
		"another constant":             {code, "= 128", "= 129", "maxDepth is \"128 levels\" there and 129 in the code"},
		"no number":                    {limits, "128 levels", "many", "maxDepth is \"many\" there and 128 in the code"},
		"a page with a missing file":   {architecture, "`x/h/h.go`", "`x/h/i.go`", "architecture.md: no file x/h/i.go"},
		"a page with a missing folder": {architecture, "`internal/a`", "`internal/b`", "architecture.md: no file internal/b"},
		"a missing page":               {architecture, "../CONTRIBUTING.md", "../CONTRIBUTE.md", "architecture.md: no file CONTRIBUTE.md"},
		"a missing script":             {"CONTRIBUTING.md", ".ci/run", ".ci/go", "CONTRIBUTING.md: no file .ci/go"},
		"a missing declaration":        {architecture, "`half`", "`third`", "architecture.md: no third in the files of | Read"},
		"no constant of the default":   {code, "defaultBytes", "bytes", "Options.Limits.MaxBytes: no constant defaultMaxBytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repository := fstest.MapFS{}
			for file, text := range files {
				if file == test.file {
					require.Equal(t, 1, strings.Count(text, test.old))
					text = strings.Replace(text, test.old, test.new, 1)
				}
				repository[file] = &fstest.MapFile{Data: []byte(text)}
			}
			found := strings.Join(checkDocs(t, repository), "\n")
			assert.Equal(t, test.want == "", found == "", found)
			assert.Contains(t, found, test.want)
		})
	}
}

// go doc shows no examples, so a comment that refers to an example has its lines.
func TestDocCommentsNameNoExamples(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`(?i)\b(see|in) (the )?examples? (["“]|of \[)|\((Argument|Handler)[A-Z]\w+(, \w+)*\)`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, pattern := range []string{"*/*.go", "mount/*/*.go"} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, more...)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				assert.NotRegexp(t, reference, line, name)
			}
		}
	}
}

// Add accepts each schema of the docs, and rejects the one that docs/limits.md says is
// rejected.
func TestSchemasOfDocs(t *testing.T) {
	t.Parallel()
	add := func(text string) error {
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal([]byte(text), &schema), text)
		render := func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
		return new(prompts.Registry).Add(prompts.Prompt{
			Name: "p", Arguments: []prompts.Argument{{Name: "a", Schema: &schema}}, Render: render,
		})
	}
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, page := range append(pages, "README.md") {
		for _, fence := range jsonBlock.FindAllStringSubmatch(readText(t, page), -1) {
			if text := fence[1]; strings.Contains(text, `"$ref"`) {
				found++
				require.NoError(t, add(text), "%s: %s", page, text)
				untagged := strings.Replace(text, `"required": ["op"], `, "", 1)
				if untagged != text {
					require.ErrorContains(t, add(untagged), "validating a value takes too long", "%s: %s", page, untagged)
				}
			}
		}
	}
	assert.Equal(t, 2, found)
}

var jsonBlock = regexp.MustCompile("(?ms)^```json\n(.*?)^```$")
