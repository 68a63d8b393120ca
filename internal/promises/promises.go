// Package promises holds docs/limits.md and SECURITY.md against the code: each
// limit and each promise has a test, the tests that they name are there, the
// table has every limit that the code has, and its defaults are those of the
// code. Its own test does so for this repository.
package promises

import (
	"fmt"
	"io/fs"
	"slices"
)

// The pages, and the heads of their tables.
const (
	limitsPage   = "docs/limits.md"
	limitsHead   = "| What is bounded | Option | Default | When it is reached | Tests |"
	securityPage = "SECURITY.md"
	promisesHead = "| Promise | Tests |"
)

// Check returns everything that is wrong with the pages of the repository in
// fsys, or an error if it cannot be read.
func Check(fsys fs.FS) ([]string, error) {
	code, err := readCode(fsys)
	if err != nil {
		return nil, err
	}
	c := checker{code: code, named: map[string]bool{}}
	for _, page := range []struct {
		name, head string
		row        func(row)
	}{{limitsPage, limitsHead, c.limit}, {securityPage, promisesHead, c.promise}} {
		text, err := fs.ReadFile(fsys, page.name)
		if err != nil {
			return nil, err
		}
		c.page = page.name
		rows := c.rows(string(text), page.head)
		if len(rows) == 0 {
			c.fault(1, "there is no table %s", page.head)
		}
		for _, r := range rows {
			page.row(r)
		}
		c.mentioned(string(text))
	}
	c.page = limitsPage
	c.complete()
	return c.faults, nil
}

// checker collects what is wrong.
type checker struct {
	code   *code
	page   string
	named  map[string]bool // options and constants that the table has
	faults []string
}

func (c *checker) fault(line int, format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf("%s:%d: ", c.page, line)+fmt.Sprintf(format, args...))
}

// promise checks a row of SECURITY.md.
func (c *checker) promise(r row) { c.tests(r.line, r.cells[1]) }

// limit checks a row of docs/limits.md.
func (c *checker) limit(r row) {
	c.tests(r.line, r.cells[4])
	names := spans(r.cells[1])
	if len(names) == 0 && r.cells[1] != "fixed" {
		c.fault(r.line, "%q is neither an option nor fixed", r.cells[1])
	}
	for _, name := range names {
		if c.named[name] {
			c.fault(r.line, "%s is here for a second time", name)
		}
		c.named[name] = true
		limit, ok := c.code.limits[name]
		if !ok {
			c.fault(r.line, "there is no option or constant %s", name)
			continue
		}
		if limit.documented != "" && !begins(r.cells[2], limit.documented) {
			c.fault(r.line, "the default of %s is %q where it is declared, and %q here", name, limit.documented, r.cells[2])
		}
		if limit.value == nil {
			continue
		}
		if said, ok := quantity(r.cells[2]); !ok || said != *limit.value {
			c.fault(r.line, "%s is %v in the code, and %q here", name, *limit.value, r.cells[2])
		}
	}
}

// complete finds the limits that no row has.
func (c *checker) complete() {
	var missing []string
	for name, limit := range c.code.limits {
		if limit.isDue && !c.named[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		c.fault(1, "there is no row for %s", name)
	}
}
