package promises

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// row is one of a table.
type row struct {
	line  int
	cells []string
}

// rows returns those of the tables with that head, and finds what is wrong with
// their form. Tables with another head are text.
func (c *checker) rows(page, head string) (all []row) {
	want := strings.Count(head, "|") - 1
	inside, ruled := false, false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case line == head:
			inside, ruled = true, false
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !ruled:
			ruled = true
			if strings.Trim(line, "|-") != "" {
				c.fault(i+1, "there has to be a ruler below the table's head")
			}
		case inside:
			cells := cellsOf(line)
			if len(cells) != want {
				c.fault(i+1, "%d cells instead of %d", len(cells), want)
				continue
			}
			for n, cell := range cells {
				if cell == "" {
					c.fault(i+1, "cell %d is empty", n+1)
				}
			}
			all = append(all, row{i + 1, cells})
		}
	}
	return all
}

func cellsOf(line string) (cells []string) {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	for cell := range strings.SplitSeq(line, "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}

var span = regexp.MustCompile("`([^`]*)`")

// spans are the names in a text: what stands between two backquotes.
func spans(text string) (all []string) {
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// testName matches the name of a test, after that of its package unless it is
// the root.
var testName = regexp.MustCompile(`^(?:([a-z0-9/]+)\.)?((?:Test|Fuzz)[A-Z]\w*)$`)

// tests checks the cell of a row that names its tests.
func (c *checker) tests(line int, cell string) {
	names := spans(cell)
	if len(names) == 0 {
		c.fault(line, "no test is named")
	}
	for _, name := range names {
		if !testName.MatchString(name) {
			c.fault(line, "%q is not the name of a test", name)
		}
	}
}

// mentioned checks that the tests are there which a page names, wherever that
// is.
func (c *checker) mentioned(page string) {
	for i, line := range strings.Split(page, "\n") {
		for _, name := range spans(line) {
			if m := testName.FindStringSubmatch(name); m != nil && !c.code.hasTest(m[1], m[2]) {
				c.fault(i+1, "there is no test %s", name)
			}
		}
	}
}

// begins reports whether a cell says that, and after it at most what the number
// is of.
func begins(cell, said string) bool {
	rest, ok := strings.CutPrefix(cell, said)
	return ok && (rest == "" || rest[0] == ' ')
}

var amount = regexp.MustCompile(`^([0-9][0-9,]*(?:\.[0-9]+)?)(?: ([A-Za-z]+))?`)

// units are in bytes, or in nanoseconds.
var units = map[string]float64{
	"KiB": 1 << 10, "MiB": 1 << 20,
	"ms": float64(time.Millisecond), "second": float64(time.Second), "seconds": float64(time.Second),
	"minute": float64(time.Minute), "minutes": float64(time.Minute),
}

// quantity returns the number that a cell begins with.
func quantity(cell string) (n float64, ok bool) {
	m := amount.FindStringSubmatch(cell)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	if unit, ok := units[m[2]]; ok {
		n *= unit
	}
	return n, err == nil
}
