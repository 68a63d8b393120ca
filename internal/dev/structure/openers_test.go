package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// openers are the functions that may open a file to read without internal/regular, which reads
// nothing but regular files, within a limit and a context.
var openers = map[string]string{
	"promptfs/source.go read":          "the check before and the reading after are those of internal/regular",
	"promptpreview/assets.go":          "the files are part of the program",
	"cmd/prompts/render.go readValues": "the user may name the pipe of a shell, and a signal ends the wait",
}

// TestOpeners checks that what users run opens files by internal/regular: a pipe in the place of
// a file would hang a server, and a link would lead out of a folder.
func TestOpeners(t *testing.T) {
	require.NoError(t, repository.Enter())
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	require.NoError(t, err)
	left := map[string]bool{}
	for place := range openers {
		left[place] = true
	}
	files := 0
	for name := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(name, "_test.go") || isOfDevelopers(name) || path.Dir(name) == "internal/regular" {
			continue
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			function, ok := d.(*ast.FuncDecl)
			ast.Inspect(d, func(n ast.Node) bool {
				call, isCall := n.(*ast.CallExpr)
				if !isCall || !opens(file, call) {
					return true
				}
				place := name
				if ok {
					place += " " + function.Name.Name
				}
				assert.Contains(t, openers, place, "%s: open the file by internal/regular, or give the reason here", set.Position(call.Pos()))
				delete(left, place)
				return true
			})
		}
	}
	assert.Greater(t, files, 300, "files of the repository")
	assert.Empty(t, left, "these open no file")
}

// isOfDevelopers reports whether no user runs the code of a file.
func isOfDevelopers(name string) bool {
	for _, folder := range []string{"examples/", "internal/dev/", "internal/interop/", "internal/servertest/", "internal/servertest/speccheck/", "promptpreview/internal/"} {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// opens reports whether a call opens a file to read: a function of a package, or the method
// Open, OpenFile or ReadFile of a file system. A call with os.O_EXCL makes a new file.
func opens(file *ast.File, call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of := ""
	if x, ok := f.X.(*ast.Ident); ok {
		for _, i := range file.Imports {
			if p := strings.Trim(i.Path.Value, `"`); i.Name == nil && path.Base(p) == x.Name || i.Name != nil && i.Name.Name == x.Name {
				of = p
			}
		}
	}
	switch of + "." + f.Sel.Name {
	case "os.Open", "os.ReadFile", "os.DirFS", "os.OpenInRoot", "io/fs.ReadFile", ".ReadFile":
		return true
	case ".Open":
		return len(call.Args) == 1
	case "os.OpenFile", ".OpenFile":
		makes := false
		for _, argument := range call.Args {
			ast.Inspect(argument, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				makes = makes || ok && selector.Sel.Name == "O_EXCL"
				return true
			})
		}
		return !makes
	}
	return false
}
