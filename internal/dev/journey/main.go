// Journey prints how much code the most important messages pass through:
//
//	go -C internal/dev run ./journey
//
// The columns are the functions, their lines, and the files and packages of the library on the
// way of a message, and the functions and files among them that are of the root package.
//
// The first journey is the table of docs/architecture.md. A function of the table that is not
// on the way is an error, and so is a row in another order.
//
// The program builds itself again with a counter in each block, and makes each
// journey 4 times and 40 times. What ran at least 27 times more often is on the way: on a busy
// machine a function may run more than once for a journey, which must not hide it.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

const (
	few, many = 4, 40
	enough    = 27
	module    = "github.com/mcp-prompts/prompts"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 { // the program with the counters
		which, _ := strconv.Atoi(os.Args[1])
		n, _ := strconv.Atoi(os.Args[2])
		once := journeys[which].begin()
		for number := range n {
			if err := once(number + 1); err != nil {
				log.Fatalf("%s: %v", journeys[which].name, err)
			}
		}
		return
	}
	if err := report(); err != nil {
		log.Fatal(err)
	}
}

func report() error {
	if err := repository.Enter(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "journey")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "journey")
	if err := run(nil, "go", "-C", "internal/dev", "build", "-cover", "-covermode=atomic", "-coverpkg="+module+"/...", "-o", program, "./journey"); err != nil {
		return err
	}
	fmt.Printf("%-28s %9s %5s %5s %8s   %s\n", "journey", "functions", "lines", "files", "packages", "root: functions, files")
	for i, j := range journeys {
		counted := map[int]map[function]int{}
		for _, n := range []int{few, many} {
			if counted[n], err = count(program, filepath.Join(dir, fmt.Sprint(i, "-", n)), i, n); err != nil {
				return err
			}
		}
		files, packages, rootFiles := map[string]bool{}, map[string]bool{}, map[string]bool{}
		functions, lines, inRoot := 0, 0, 0
		way := map[string]bool{}
		for f, n := range counted[many] {
			if n-counted[few][f] < enough {
				continue
			}
			functions, lines = functions+1, lines+f.last-f.first+1
			way[f.file+" "+f.name] = true
			files[f.file], packages[path.Dir(f.file)] = true, true
			if !strings.Contains(f.file, "/") {
				inRoot++
				rootFiles[f.file] = true
			}
		}
		fmt.Printf("%-28s %9d %5d %5d %8d   %d, %d\n", j.name, functions, lines, len(files), len(packages), inRoot, len(rootFiles))
		if i == 0 {
			steps, err := readSteps()
			if err == nil {
				err = steps.check(way, dir)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// function is a function by where it is declared.
type function struct {
	file string // from the module on
	span
}

// count makes a journey n times, and returns how often each function ran.
func count(program, dir string, which, n int) (map[function]int, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := run([]string{"GOCOVERDIR=" + dir}, program, strconv.Itoa(which), strconv.Itoa(n)); err != nil {
		return nil, err
	}
	profile := filepath.Join(dir, "profile")
	if err := run(nil, "go", "tool", "covdata", "textfmt", "-i", dir, "-o", profile); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	counts, starts := map[function]int{}, map[string][]span{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		// github.com/mcp-prompts/prompts/get.go:41.5,43.6 2 40
		file, rest, ok := strings.Cut(lines.Text(), ".go:")
		file = strings.TrimPrefix(file, module+"/") + ".go"
		if !ok || strings.HasPrefix(file, "internal/dev/") {
			continue
		}
		var line, column, lastLine, lastColumn, statements, times int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &line, &column, &lastLine, &lastColumn, &statements, &times); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		if starts[file] == nil {
			if starts[file], err = functionsOf(file); err != nil {
				return nil, err
			}
		}
		for _, s := range starts[file] {
			if s.first <= line && line <= s.last {
				f := function{file, s}
				counts[f] = max(counts[f], times)
			}
		}
	}
	return counts, nil
}

// span is the name and the lines of a function, and the offset of the first byte of its body. The name of a method begins with its type.
type span struct {
	name        string
	first, last int
	body        int
}

func functionsOf(file string) ([]span, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	spans := []span{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			name := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if generic, ok := of.(*ast.IndexExpr); ok {
					of = generic.X
				}
				if id, ok := of.(*ast.Ident); ok {
					name = id.Name + "." + name
				}
			}
			spans = append(spans, span{name, set.Position(f.Pos()).Line, set.Position(f.End()).Line, set.Position(f.Body.Lbrace).Offset + 1})
		}
	}
	return spans, nil
}

func run(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}
