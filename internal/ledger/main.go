// Command ledger holds the tests of this repository against docs/ledger.md:
// which of its rows does a test cite, and which does none? It runs in the
// repository's root:
//
//	go run ./internal/ledger [-v]
//
// It fails if a MUST or MUST NOT in scope has no test, and if the page or a
// citation is wrong. What counts as a citation is said in docs/ledger.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func main() {
	verbose := flag.Bool("v", false, "print every row in scope with its tests")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ok, err := run(os.DirFS("."), os.Stdout, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run prints the report on the repository in fsys, and reports whether all is
// well with it. An error says that there is no report.
func run(fsys fs.FS, w io.Writer, verbose bool) (bool, error) {
	page, err := fs.ReadFile(fsys, pageName)
	if err != nil {
		return false, err
	}
	citations, faults, err := findCitations(fsys)
	if err != nil {
		return false, err
	}
	l, pageFaults := parseLedger(string(page))
	r := newReport(l, citations, append(pageFaults, faults...))
	return r.ok(), r.print(w, verbose)
}
