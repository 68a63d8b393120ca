// Structure prints the size of each package and the largest cycle
// between its files. Arguments are module folders, from the root of the repository
// on, by default those of all modules but the examples and what serves tests only.
//
// The columns are:
//
//	files, lines    Go files without tests, and their lines
//	exported        exported package-level names, and methods of exported types
//	tests, lines    test files, and their lines
//	ratio           test lines per line of the package
//	cycle           files and lines of the largest set of files in which each
//	                file uses, directly or through other files of the set,
//	                package-level names or methods of every other file
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

type size struct {
	files, lines, exported, testFiles, testLines, cycleLines int
	cycle                                                    []string // the files
}

func (s size) print(name string) {
	fmt.Printf("%-56s %5d %7d %9d %6d %7d %6.2f %4d %7d\n", name, s.files, s.lines, s.exported,
		s.testFiles, s.testLines, float64(s.testLines)/float64(max(s.lines, 1)), len(s.cycle), s.cycleLines)
}

func main() {
	log.SetFlags(0)
	if err := repository.Enter(); err != nil {
		log.Fatal(err)
	}
	modules := os.Args[1:]
	if len(modules) == 0 {
		var err error
		if modules, err = productModules(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%-56s %5s %7s %9s %6s %7s %6s %12s\n",
		"package", "files", "lines", "exported", "tests", "lines", "ratio", "cycle, lines")
	var total size
	for _, module := range modules {
		packages, exports, err := list(module)
		if err != nil {
			log.Fatalf("%s: %v", module, err)
		}
		for _, p := range packages {
			s, err := p.measure(exports)
			if err != nil {
				log.Fatalf("%s: %v", p.ImportPath, err)
			}
			s.print(p.ImportPath)
			total.files += s.files
			total.lines += s.lines
			total.exported += s.exported
			total.testFiles += s.testFiles
			total.testLines += s.testLines
		}
	}
	total.print("total")
}

// productModules returns the folders of the modules that users import or run.
func productModules() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "go.mod", "*/go.mod").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var modules []string
	for name := range strings.Lines(string(out)) {
		dir := filepath.Dir(strings.TrimSpace(name))
		if !strings.HasPrefix(dir, "examples/") && !strings.HasPrefix(dir, "internal/") {
			modules = append(modules, dir)
		}
	}
	return modules, nil
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	DepOnly                            bool
}

// list returns the packages of a module, and the file with export data of each
// of their dependencies.
func list(module string) ([]listed, map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,DepOnly", "./...")
	cmd.Dir, cmd.Stderr = module, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	var packages []listed
	exports := map[string]string{}
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports, cmd.Wait()
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			packages = append(packages, p)
		}
	}
}

func (p listed) measure(exports map[string]string) (size, error) {
	s := size{files: len(p.GoFiles), testFiles: len(p.TestGoFiles) + len(p.XTestGoFiles)}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return s, err
		}
		s.testLines += strings.Count(string(text), "\n")
	}
	fset := token.NewFileSet()
	files := make([]*ast.File, len(p.GoFiles))
	lines := map[string]int{}
	for i, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return s, err
		}
		files[i] = file
		lines[name] = fset.File(file.Pos()).LineCount()
		s.lines += lines[name]
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := conf.Check(p.ImportPath, fset, files, &info)
	if err != nil {
		return s, err
	}
	s.exported = exported(pkg)
	in := func(pos token.Pos) string { return filepath.Base(fset.Position(pos).Filename) }
	uses := map[string][]string{}
	for id, used := range info.Uses {
		if used.Pkg() == pkg && (used.Parent() == pkg.Scope() || isMethod(used)) {
			uses[in(id.Pos())] = append(uses[in(id.Pos())], in(used.Pos()))
		}
	}
	for _, cycle := range components(p.GoFiles, uses) {
		if len(cycle) < 2 || len(cycle) < len(s.cycle) {
			continue
		}
		s.cycle, s.cycleLines = cycle, 0
		for _, name := range cycle {
			s.cycleLines += lines[name]
		}
	}
	return s, nil
}

func isMethod(object types.Object) bool {
	f, ok := object.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

func exported(pkg *types.Package) int {
	n := 0
	for _, name := range pkg.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		n++
		object, isType := pkg.Scope().Lookup(name).(*types.TypeName)
		if !isType || object.IsAlias() {
			continue
		}
		if named, ok := object.Type().(*types.Named); ok {
			for method := range named.Methods() {
				if method.Exported() {
					n++
				}
			}
		}
	}
	return n
}

// components returns the strongly connected components of a graph by Tarjan's
// algorithm.
func components(nodes []string, edges map[string][]string) [][]string {
	var found [][]string
	var stack []string
	index, low := map[string]int{}, map[string]int{}
	var visit func(node string)
	visit = func(node string) {
		index[node] = len(index) + 1
		low[node] = index[node]
		stack = append(stack, node)
		for _, to := range edges[node] {
			if index[to] == 0 {
				visit(to)
				low[node] = min(low[node], low[to])
			} else if slices.Contains(stack, to) {
				low[node] = min(low[node], index[to])
			}
		}
		if low[node] == index[node] {
			at := slices.Index(stack, node)
			found = append(found, slices.Clone(stack[at:]))
			stack = stack[:at]
		}
	}
	for _, node := range nodes {
		if index[node] == 0 {
			visit(node)
		}
	}
	return found
}
