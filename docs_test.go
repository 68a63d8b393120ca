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
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// docs/limits.md, docs/internals.md and SECURITY.md say what the code does: every limit
// of the code has a row, every default is that of the code, and every test exists.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files of the repository, one after another")
	}
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
	notLibrary = regexp.MustCompile(`^(cmd|examples|internal/(interop|dev|servertest|soak|speccheck))(/|$)`)
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
	for _, page := range []string{"docs/limits.md", "docs/internals.md", "SECURITY.md"} {
		text, err := fs.ReadFile(repository, page)
		require.NoError(t, err)
		for _, name := range testName.FindAllStringSubmatch(string(text), -1) {
			if !slices.ContainsFunc(tests, func(test string) bool {
				return strings.HasSuffix(test, "/"+name[1]) || strings.HasSuffix(test, "."+name[1])
			}) {
				report("%s: no test %s", page, name[1])
			}
		}
		columns := 0 // of a table with tests, 5 for limits
		for row := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(row), "|")
			switch {
			case len(cells) < 3:
				columns = 0
			case strings.HasSuffix(row, "| Tests |\n"):
				columns = len(cells) - 2
			case columns == 0 || strings.HasPrefix(row, "|---"):
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

// The table of the fifteen changes names the file and the name of each, and text that the
// first file has: the change itself, and not only a file of that name.
func TestPlacesOfChanges(t *testing.T) {
	t.Parallel()
	_, table, ok := strings.Cut(servertest.ReadText(t, "docs/architecture.md"), "## The fifteen most common changes\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| `([^|]+)` \\|$").FindAllStringSubmatch(table, -1)
	assert.Len(t, rows, 15)
	for _, row := range rows {
		places := regexp.MustCompile("`([^` ]+\\.go)` `(\\w+)`").FindAllStringSubmatch(row[2], -1)
		if !assert.NotEmpty(t, places, row[1]) {
			continue
		}
		assert.True(t, strings.Contains(servertest.ReadText(t, places[0][1]), row[3]), "%s: no %q in %s", row[1], row[3], places[0][1])
		for _, p := range places {
			assert.True(t, declares(t, p[1], p[2]), "%s: no %s in %s", row[1], p[2], p[1])
		}
	}
}

// declares reports whether a file declares a name: a function, a method, or a type,
// constant or variable of the package.
func declares(t *testing.T, file, name string) bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return true
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name }) {
						return true
					}
				}
			}
		}
	}
	return false
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
	known := fewImports{t, importer.Default(), fset, packages, map[string]*types.Package{}}
	for folder := range packages {
		prefix := ""
		if folder != "." {
			prefix = path.Base(folder) + "."
		}
		pkg := known.check(folder)
		for _, name := range pkg.Scope().Names() {
			switch o := pkg.Scope().Lookup(name).(type) {
			case *types.Const:
				if constant.ToInt(o.Val()).Kind() == constant.Int {
					limits[prefix+name] = &docLimit{value: o.Val()}
				}
			case *types.TypeName:
				if o.Exported() && (strings.HasSuffix(name, "Options") || strings.HasSuffix(name, "Cache")) && !strings.HasPrefix(folder, "internal/") {
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

// fewImports imports time, math, and the internal packages of this module, which have
// constants that several packages share.
type fewImports struct {
	t *testing.T
	types.Importer
	fset     *token.FileSet
	packages map[string][]*ast.File    // by folder
	checked  map[string]*types.Package // by folder
}

func (i fewImports) Import(path string) (*types.Package, error) {
	if folder, ok := strings.CutPrefix(path, "github.com/mcp-prompts/prompts/"); ok && strings.HasPrefix(folder, "internal/") && i.packages[folder] != nil {
		return i.check(folder), nil
	}
	if path != "time" && path != "math" {
		return nil, fs.ErrNotExist
	}
	pkg, err := i.Importer.Import(path) // by the Go command
	assert.NoError(i.t, err)
	return pkg, err
}

// check checks the types of a package. Only constants and structs matter, so errors do
// not.
func (i fewImports) check(folder string) *types.Package {
	if i.checked[folder] == nil {
		config := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}, Importer: i}
		i.checked[folder], _ = config.Check(folder, i.fset, i.packages[folder], nil)
	}
	return i.checked[folder]
}

// What is wrong in the code or on a page is found.
func TestDocsFinds(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, part := range strings.Split(servertest.ReadText(t, "testdata/docs.txtar"), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --")
		files[name] = strings.TrimPrefix(text, "\n") + "\n"
	}
	unescaped := strings.NewReplacer("¦", "|", `\t`, "\t")
	for _, row := range servertest.Table(t, "docs", 5) {
		t.Run(row[0], func(t *testing.T) {
			t.Parallel()
			changed, old, replacement, want := row[1], unescaped.Replace(row[2]), unescaped.Replace(row[3]), unescaped.Replace(row[4])
			repository := fstest.MapFS{}
			for file, text := range files {
				if file == changed {
					require.Equal(t, 1, strings.Count(text, old))
					text = strings.Replace(text, old, replacement, 1)
				}
				repository[file] = &fstest.MapFile{Data: []byte(text)}
			}
			found := strings.Join(checkDocs(t, repository), "\n")
			assert.Equal(t, want == "", found == "", found)
			assert.Contains(t, found, want)
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

// Add accepts each schema of the docs.
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
		for _, fence := range jsonBlock.FindAllStringSubmatch(servertest.ReadText(t, page), -1) {
			if text := fence[1]; strings.Contains(text, `"$ref"`) {
				found++
				require.NoError(t, add(text), "%s: %s", page, text)
			}
		}
	}
	assert.Equal(t, 2, found)
}

var jsonBlock = regexp.MustCompile("(?ms)^```json\n(.*?)^```$")
