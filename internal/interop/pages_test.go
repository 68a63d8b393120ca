package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/modelcontextprotocol/go-sdk/auth" // go.mod has what pages import
	_ "github.com/modelcontextprotocol/go-sdk/oauthex"
	_ "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	_ "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	_ "go.opentelemetry.io/otel/propagation"

	_ "github.com/mcp-prompts/prompts/promptnats"
	_ "github.com/mcp-prompts/prompts/promptpreview"
)

// The Go code of the pages may use these packages without an import.
var pagePackages = packagesByName(
	"context", "crypto/sha256", "encoding/json", "errors", "fmt", "hash/fnv", "io", "log", "log/slog", "net/http", "net/url", "os", "slices", "strings", "testing", "time",
	"github.com/google/jsonschema-go/jsonschema", "github.com/nats-io/nats.go/jetstream",
	"github.com/modelcontextprotocol/go-sdk/mcp", "github.com/modelcontextprotocol/go-sdk/auth", "github.com/modelcontextprotocol/go-sdk/oauthex",
	"github.com/mark3labs/mcp-go/server", "go.opentelemetry.io/otel/propagation",
	"go.opentelemetry.io/otel", "go.opentelemetry.io/otel/sdk/metric", "go.opentelemetry.io/otel/sdk/trace",
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp", "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
	module, module+"/feature", module+"/mount/gosdk", module+"/mount/mcpgo", module+"/observe", module+"/problem", module+"/promptfs", module+"/promptfs/promptfstest", module+"/promptnats",
	module+"/promptotel", module+"/promptpreview", module+"/promptskills", module+"/prompttemplate", module+"/prompttest", module+"/prompttools",
	module+"/stdio", module+"/streamablehttp", module+"/transport",
)

const module = "github.com/mcp-prompts/prompts"

func packagesByName(paths ...string) map[string]string {
	all := map[string]string{}
	for _, p := range paths {
		all[path.Base(p)] = p
	}
	return all
}

var pageGo = regexp.MustCompile("(?ms)^ *(?:```|~~~)go[^\n]*\n(.*?)^ *(?:```|~~~)$")

// TestPagesCompile compiles each block of Go code of each page: a program, declarations
// or statements. A block may use the declarations of the earlier blocks of its page, and
// the names of testdata/pages.go.txt.
func TestPagesCompile(t *testing.T) {
	t.Parallel()
	names, err := pageNames()
	require.NoError(t, err)
	common, err := os.ReadFile("testdata/pages.go.txt")
	require.NoError(t, err)
	check := newPageChecker(t)
	blocks := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		scope := string(common)
		for _, m := range pageGo.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\r\n", "\n"), -1) {
			blocks++
			scope, err = check.block(scope, m[1])
			assert.NoError(t, err, "%s:\n%s", name, m[1])
		}
	}
	assert.Greater(t, blocks, 50)
	for block, want := range map[string]string{
		"x := prompts.NoSuchName":             "undefined: prompts.NoSuchName",
		"return prompts.Messages(1), nil":     "cannot use 1",
		"func f() { undefinedName() }":        "undefined: undefinedName",
		"package main\n\nfunc main() { f() }": "undefined: f",
		"a b c":                               "expected",
	} {
		_, err := check.block(string(common), block)
		assert.ErrorContains(t, err, want)
	}
}

var pageJSON = regexp.MustCompile("(?ms)^ *```json[^\n]*\n(.*?)^ *```$")

// TestPagesJSON reads each block of JSON of each page. The
// tests of README.md, of the clients and of the schemas compare blocks with what programs
// print and accept.
func TestPagesJSON(t *testing.T) {
	t.Parallel()
	names, err := pageNames()
	require.NoError(t, err)
	blocks := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range pageJSON.FindAllSubmatch(text, -1) {
			blocks++
			var value any
			assert.NoError(t, json.Unmarshal(m[1], &value), "%s:\n%s", name, m[1])
		}
	}
	assert.Greater(t, blocks, 10)
}

// pageNames returns the pages of the repository. The code of migrating.md is compiled and run
// by the tests of the folder migrating.
func pageNames() ([]string, error) {
	var names []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return filepath.Base(name) == "migrating.md" }), nil
}

type pageChecker struct{ importer types.Importer }

// newPageChecker builds the packages that pages may use.
func newPageChecker(t *testing.T) *pageChecker {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, p := range pagePackages {
		args = append(args, p)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	return &pageChecker{importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no package %s; add it to pagePackages", path)
		}
		return os.Open(exports[path])
	})}
}

// block compiles a block with the declarations in scope, and returns the scope of the
// next block. A block may declare a name again.
func (c *pageChecker) block(scope, block string) (next string, err error) {
	block = strings.ReplaceAll(block, "…\n", "panic(0)\n") // code that is left out
	switch {
	case strings.HasPrefix(block, "package "):
		_, rest, _ := strings.Cut(block, "\n)\n")
		return without(scope, rest) + rest, c.check(block)
	case parses("package p\n" + block):
		next = without(scope, block) + block
		return next, c.check("package p\n" + next)
	}
	results, end := "", ""
	function := "package p\nfunc block() {\n" + block + "\n}\n"
	if file, err := parser.ParseFile(token.NewFileSet(), "", function, parser.SkipObjectResolution); err != nil {
		return scope, err
	} else if n := returned(file); n == 1 {
		results, end = "error", "panic(0)\n"
	} else if n == 2 {
		results, end = "(*prompts.Result, error)", "panic(0)\n"
	}
	body := "func block() " + results + " {\n" + block + "\n" + end + "}\n"
	return scope, c.check("package p\n" + scope + body)
}

func parses(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err == nil
}

// without returns declarations but for those of names that a block declares.
func without(declarations, block string) string {
	declared := map[string]bool{}
	each := func(text string, f func(name string, from, to token.Pos)) {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			return
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f(d.Name.Name, d.Pos(), d.End())
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						f(s.Name.Name, d.Pos(), d.End())
					case *ast.ValueSpec:
						f(s.Names[0].Name, d.Pos(), d.End())
					}
				}
			}
		}
	}
	each("package p\n"+block, func(name string, _, _ token.Pos) { declared[name] = true })
	text := []byte("package p\n" + declarations)
	each(string(text), func(name string, from, to token.Pos) {
		if declared[name] {
			for i := from - 1; i < to-1; i++ {
				text[i] = ' '
			}
		}
	})
	return strings.TrimPrefix(string(text), "package p\n")
}

// returned returns the number of values that a function returns.
func returned(file *ast.File) (n int) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			n = max(n, len(node.Results))
		}
		return true
	})
	return n
}

// check compiles a file, with the imports that it lacks. Names and values without a use are
// no error, because blocks are parts of programs.
func (c *pageChecker) check(text string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "page.go", text, parser.ImportsOnly)
	if err != nil {
		return err
	}
	if len(file.Imports) == 0 {
		imports := ""
		for name, path := range pagePackages {
			imports += fmt.Sprintf("import %s %q;", name, path)
		}
		text = strings.Replace(text, "\n", ";"+imports+"\n", 1)
	}
	if file, err = parser.ParseFile(fset, "page.go", text, parser.SkipObjectResolution); err != nil {
		return err
	}
	var errs []error
	config := types.Config{Importer: c.importer, Error: func(err error) {
		var e types.Error
		if !errors.As(err, &e) || !e.Soft && !strings.HasSuffix(e.Msg, "is not used") {
			errs = append(errs, err)
		}
	}}
	_, _ = config.Check("p", fset, []*ast.File{file}, nil)
	return errors.Join(errs...)
}
