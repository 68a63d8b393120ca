// Command ledger checks that every MUST and MUST NOT in scope of docs/ledger.md
// has a test that cites it, and that every citation is of a row in scope. With -v it
// prints every row with its tests:
//
//	go -C internal/dev run ./ledger [-v]
//
// docs/ledger.md says what a citation is.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

const page = "docs/ledger.md"

// The lines of the page. A reference is to one row or to a range of rows.
var (
	heading     = regexp.MustCompile(`^## (?:([A-Z]{3}) — )?`)
	tableHead   = regexp.MustCompile(`^\| Id \||^[|-]+$`)
	requirement = regexp.MustCompile(`^\| ([A-Z]{3}-\d\d) \| ((?:MUST|SHOULD|MAY)(?: NOT)?[†‡]?) \| [^|]+ \| ([^|]+) \| [^|]+ \|$`)
	gap         = regexp.MustCompile(`^\| (GAP-\d\d) \| ()([^|]+) \| [^|]+ \| [^|]+ \|$`)
	outOfScope  = regexp.MustCompile(`^\| ([A-Z]{3}-\d\d[^|]*) \| ([^| ][^|]*) \|$`)
	reference   = regexp.MustCompile(`\b([A-Z]{3})-(\d\d)(?:(?:(?:…|\.{2,3}|–|-)(?:([A-Z]{3})-)?` +
		`|(?:\s+//)?\s+to(?:\s+//)?\s+([A-Z]{3})-)(\d\d))?\b`)
	notRun = regexp.MustCompile(`^(Benchmark|Example)([^a-z]|$)`)
)

// row is a requirement, or a gap in the specification.
type row struct {
	id, level, text, outOfScope string
	tests                       []string
}

type ledger struct {
	rows     []*row
	byID     map[string]*row
	problems []string
}

func main() {
	verbose := flag.Bool("v", false, "print every row in scope with its tests")
	flag.Parse()
	ok, err := false, repository.Enter()
	if err == nil {
		ok, err = run(os.DirFS("."), os.Stdout, *verbose)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
	}
	if !ok {
		os.Exit(1)
	}
}

// run prints the rows without a test, or all of them, the totals and the errors.
func run(repository fs.FS, w io.Writer, verbose bool) (ok bool, err error) {
	text, err := fs.ReadFile(repository, page)
	if err != nil {
		return false, err
	}
	l := &ledger{byID: map[string]*row{}}
	l.read(string(text))
	if err := l.findCitations(repository); err != nil {
		return false, err
	}
	if len(l.rows) == 0 {
		l.problem("%s: no rows", page)
	}
	for _, level := range []string{"MUST", "SHOULD", "MAY", "GAP"} {
		inScope, tested := 0, 0
		for _, r := range l.rows {
			if r.outOfScope != "" || !strings.HasPrefix(r.level, level) {
				continue
			}
			inScope++
			tested += min(len(r.tests), 1)
			if verbose || len(r.tests) == 0 {
				fmt.Fprintln(w, r.id, r.level, r.text, strings.Join(append([]string{""}, r.tests...), "\n\t"))
			}
			if level == "MUST" && len(r.tests) == 0 {
				l.problem("%s has no test", r.id)
			}
		}
		fmt.Fprintf(w, "%s: %d of %d rows have a test\n", level, tested, inScope)
	}
	for _, problem := range l.problems {
		fmt.Fprintln(w, problem)
	}
	return len(l.problems) == 0, nil
}

func (l *ledger) problem(format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

// read reads the tables of the page. A row must not get lost, so the numbers of a
// group have no gaps.
func (l *ledger) read(text string) {
	group, last := "", 0
	reasons := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", page, i+1)
		if m := heading.FindStringSubmatch(line); m != nil {
			group, last = m[1], 0
		}
		if !strings.HasPrefix(line, "|") || tableHead.MatchString(line) {
			continue
		}
		line = strings.ReplaceAll(line, `\|`, "/")
		form := requirement
		switch group {
		case "GAP":
			form = gap
		case "":
			form = outOfScope
		}
		m := form.FindStringSubmatch(line)
		last++
		switch {
		case m == nil:
			l.problem("%s: invalid row: %.40s", where, line)
		case group == "":
			for _, id := range l.references(where, m[1]) {
				if reasons[id] != "" {
					l.problem("%s: %s is out of scope twice", where, id)
				}
				reasons[id] = m[2]
			}
		default:
			l.add(where, fmt.Sprintf("%s-%02d", group, last), &row{id: m[1], level: cmp.Or(m[2], "GAP"), text: m[3]})
		}
	}
	for id, reason := range reasons {
		if r := l.byID[id]; r != nil {
			r.outOfScope = reason
		} else {
			l.problem("%s: no row %s to be out of scope", page, id)
		}
	}
}

// add adds a row, which must be the next one of its group.
func (l *ledger) add(where, id string, r *row) {
	if r.id != id || l.byID[id] != nil {
		l.problem("%s: %q instead of %s, or a second one", where, r.id, id)
	}
	l.rows, l.byID[id] = append(l.rows, r), r
}

// references returns the ids in a text, those of ranges too.
func (l *ledger) references(where, text string) (ids []string) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to := from
		if m[5] != "" {
			to, _ = strconv.Atoi(m[5])
			if other := m[3] + m[4]; other != "" && other != m[1] || to <= from {
				l.problem("%s: %s is not a range", where, m[0])
			}
		}
		for n := from; n <= to && m[1] != "UTF"; n++ { // UTF-16 is not an id
			ids = append(ids, fmt.Sprintf("%s-%02d", m[1], n))
		}
	}
	return ids
}

// cite notes that a test cites rows.
func (l *ledger) cite(where, text, test string) {
	for _, id := range l.references(where, text) {
		switch r := l.byID[id]; {
		case r == nil:
			l.problem("%s: no row %s", where, id)
		case r.outOfScope != "":
			l.problem("%s: %s is out of scope: %s", where, id, r.outOfScope)
		case test != "" && !slices.Contains(r.tests, test):
			r.tests = append(r.tests, test)
		}
	}
}

// findCitations reads all test files and recorded sessions of the repository, of
// its nested modules too.
func (l *ledger) findCitations(repository fs.FS) error {
	return fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "internal/dev/ledger" || d.Name() == "node_modules" || name != "." && strings.ContainsAny(d.Name()[:1], "._")):
			return fs.SkipDir
		case strings.HasSuffix(path.Dir(name), "testdata/sessions") && path.Ext(name) == ".txt":
			text, err := fs.ReadFile(repository, name)
			for i, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "#") {
					l.cite(fmt.Sprintf("%s:%d", name, i+1), line, name)
				}
			}
			return err
		case !strings.HasSuffix(name, "_test.go") || strings.Contains("/"+name, "/testdata/"):
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		l.citeFile(name, string(text), fset, file)
		return nil
	})
}

// citeFile notes the citations of a test file: each is its declaration's, or that
// of the next one.
func (l *ledger) citeFile(name, text string, fset *token.FileSet, file *ast.File) {
	in := fset.File(file.FileStart)
	for _, m := range reference.FindAllStringIndex(text, -1) {
		pos := in.Pos(m[0])
		at := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return (!ok || g.Tok != token.IMPORT) && (pos < d.End() || in.Line(pos) == in.Line(d.End()))
		})
		where := fmt.Sprintf("%s:%d", name, in.Line(pos))
		if at < 0 || pos < file.Package {
			l.problem("%s: a citation outside of declarations", where)
			continue
		}
		test := name
		if f, ok := file.Decls[at].(*ast.FuncDecl); ok {
			test += ":" + f.Name.Name
			if f.Recv == nil && notRun.MatchString(f.Name.Name) {
				test = ""
			}
		}
		l.cite(where, text[m[0]:m[1]], test)
	}
}
