package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// own is this command's folder: its tests make up the rows that they cite.
const own = "internal/ledger"

// sessions is where a module keeps the sessions that its tests play.
const sessions = "testdata/sessions"

// citation says that something in a test file names a row.
type citation struct {
	id    id
	where string // file and line
	by    site
}

// site is what a citation is in: a function of a test file, another
// declaration of it, or a session.
type site struct {
	name string // file:function, or the session's file
	kind kind
}

// kind says what a citation in a site is worth.
type kind int

const (
	isTest   kind = iota // go test runs it
	isHelper             // tests use it
	notRun               // go test does not run it
)

func (s site) String() string {
	if s.kind == isHelper {
		return s.name + " (helper)"
	}
	return s.name
}

// findCitations reads all test files of the repository, of nested modules too.
// It returns what is wrong with citations in themselves.
func findCitations(fsys fs.FS) (found []citation, faults []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipDir(name) {
				return fs.SkipDir
			}
			return nil
		}
		var read func(string, string) ([]citation, []string, error)
		switch inTestdata := slices.Contains(strings.Split(name, "/"), "testdata"); {
		case strings.HasSuffix(name, "_test.go") && !inTestdata:
			read = inGo
		case strings.HasSuffix("/"+path.Dir(name), "/"+sessions) && path.Ext(name) == ".txt":
			read = inSession
		default:
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		c, f, err := read(name, string(src))
		found, faults = append(found, c...), append(faults, f...)
		return err
	})
	return found, faults, err
}

// skipDir reports whether a folder is none of ours, or none that go test looks
// into.
func skipDir(name string) bool {
	base := path.Base(name)
	return name == own || base == "vendor" || base == "node_modules" ||
		base != "." && strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// inSession finds the citations of a recorded session, which are in the lines
// of its comments.
func inSession(name, src string) (found []citation, faults []string, err error) {
	for i, line := range strings.Split(src, "\n") {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, i+1)
		for _, m := range mentions(line) {
			if m.err != nil {
				faults = append(faults, fmt.Sprintf("%s: %v", where, m.err))
			}
			for _, id := range m.ids {
				found = append(found, citation{id, where, site{name, isTest}})
			}
		}
	}
	return found, faults, nil
}

// inGo finds the citations of a test file, in code and comments alike.
func inGo(name, src string) (found []citation, faults []string, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	tf := fset.File(file.FileStart)
	run := map[string]bool{} // examples that have an output
	for _, e := range doc.Examples(file) {
		run["Example"+e.Name] = e.Output != "" || e.EmptyOutput
	}
	for _, m := range mentions(src) {
		pos := tf.Pos(m.offset)
		where := fmt.Sprintf("%s:%d", name, tf.Line(pos))
		if m.err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", where, m.err))
			continue
		}
		decl := declAt(tf, file, pos)
		if decl == nil {
			faults = append(faults, fmt.Sprintf("%s: %v is cited at the file's end or head, where no declaration is", where, m.ids[0]))
			continue
		}
		what, kind := describe(decl, pos, run)
		for _, id := range m.ids {
			found = append(found, citation{id, where, site{name + ":" + what, kind}})
		}
	}
	return found, faults, nil
}

// declAt returns the declaration that a place in a file belongs to: the one
// that it is in, or behind on the same line, else the next one.
func declAt(tf *token.File, file *ast.File, pos token.Pos) ast.Decl {
	if pos < file.Package {
		return nil
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		if pos < d.End() || tf.Line(pos) == tf.Line(d.End()) {
			return d
		}
	}
	return nil
}

// describe returns the name of a declaration and what a citation in it is
// worth. run says which examples go test runs.
func describe(decl ast.Decl, pos token.Pos, run map[string]bool) (string, kind) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		switch {
		case d.Recv != nil:
		case isRun(name, "Example"):
			if !run[name] {
				return name, notRun
			}
			return name, isTest
		case isRun(name, "Test") && name != "TestMain", isRun(name, "Fuzz"):
			return name, isTest
		case isRun(name, "Benchmark"):
			return name, notRun
		}
		return name, isHelper
	case *ast.GenDecl:
		// Of several in one declaration, the one that the place is in or
		// before.
		for i, spec := range d.Specs {
			if pos >= spec.End() && i < len(d.Specs)-1 {
				continue
			}
			switch s := spec.(type) {
			case *ast.ValueSpec:
				return s.Names[0].Name, isHelper
			case *ast.TypeSpec:
				return s.Name.Name, isHelper
			}
		}
	}
	return "", isHelper
}

// isRun reports whether go test takes a function's name for one that begins
// with prefix: no small letter may follow.
func isRun(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}
